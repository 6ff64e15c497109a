"""Games whose value is known: the time or the distance under perfect play of both sides.

A module a game, with its formula in the units and the frame of the literature;
docs/game/derivations.md derives them. Arguments are numbers or arrays that broadcast together:
the result is a float if all are numbers, else an array of their common shape. Other arguments
raise an InvalidType or an InvalidValue.

| module | game | payoff |
|---|---|---|
| `simple` | both choose their velocity freely (Isaacs 1965) | time to capture |
| `chauffeur` | homicidal chauffeur: a car, and one that turns on the spot | time to capture |
| `two_cars` | two identical cars (Merz 1972; air3D) | least distance |
| `drag` | forces against linear drag, for a fixed time | distance at the end |
| `reach_avoid` | an evader runs for a guarded target | distance from it at capture |
| `two_on_one` | several pursuers after one evader | time to capture |
| `perimeter` | a defender on the rim of a disc | distance of the breach along it |

`steer_env.scenarios.registry` has their environments, and the scripts ``optimal/...`` play them
perfectly.
"""
