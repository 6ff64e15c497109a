"""The open questions of the named games, for their pages."""

OPEN_QUESTIONS = {
    "walls": (
        "How long can an evader stay free in a square from a pursuer that is hardly "
        "faster, if both play their best?"
    ),
    "agile_torus": (
        "When should a slow, agile evader sidestep a fast, clumsy pursuer on a torus, "
        "and can it do so forever?"
    ),
    "obstacles": (
        "Can a pursuer that is hardly faster force a capture among obstacles, or is "
        "there always a way around one?"
    ),
    "pack": (
        "Can three slower pursuers force a capture where no wall helps them, and where "
        "should each of them go?"
    ),
    "team": "When should a pursuer leave its own quarry to help with another?",
    "pack_obstacles": "Do obstacles help the pursuers or the evader that they surround?",
    "herd": "In which order should a herd be caught, and should it keep together?",
    "tag": "How much of what is learned in simple_tag is learned here, and back?",
    "guard": "How far from a target should its guard wait for an attacker that has inertia?",
    "rooms": "Does a pursuer that learned in 64 buildings find its way in one never seen?",
    "maze": "When should a pursuer in a maze turn back and come from the other side?",
    "hide": "How do two seekers share out rooms in which they cannot see each other's view?",
    "simple_plane": "Does a learner find a solution that fits into one line?",
    "homicidal_chauffeur": "Can a learner find the swerve and the equivocal line?",
    "two_cars": "Can a learner find both ways around the barrier's tip?",
    "drag": "Does a learner find the zero-effort miss?",
    "reach_avoid": "Does a learner find the oval that the attacker reaches first?",
    "two_on_one": "Do two learners find without words for which point both should run?",
    "perimeter_defense": "Does a learner find the tangent along which an attacker should run?",
}
"""By the names of the games."""
