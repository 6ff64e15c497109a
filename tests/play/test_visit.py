"""From the title to the replay and back, without a window or a clock."""

import pytest
from envs.same import assert_same

from play.rounds import NotedRound, replayed, straight_to
from steer_env.game.config import game_config
from steer_env.play import visit as visit_module
from steer_env.play.best_times import BestTimes
from steer_env.play.menu import Menu
from steer_env.play.rounds import others
from steer_env.play.visit import COUNT_SECONDS, COUNTS, END_SECONDS, Phase, Visit
from steer_env.sides import EVADER, PURSUER

COUNTDOWN = COUNTS * COUNT_SECONDS
STEP = 1 / 30


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Makes visits in which the opponent rests."""
    monkeypatch.setattr(visit_module, "Round", NotedRound)

    def made(side=PURSUER, opponent="rest", seed=5, rounds=None, told=None, **keywords):
        menu = Menu(side, game_config(**keywords), opponent=opponent)
        times = BestTimes(tmp_path / "times.json")
        tell = told.append if told is not None else lambda line: None
        return Visit(menu, times, seed, rounds, tell)

    return made


def begin(visit, now):
    """Begins a round, with a countdown from that time on."""
    visit.begin()
    for _ in range(2):  # after the first call, it is known what others do
        visit.advance(now, lambda: 1)


def play_on(visit, now, push=None, seconds=60.0):
    """Lets time pass until the round is over; the time then."""
    until = now + seconds
    while visit.phase in (Phase.COUNTDOWN, Phase.ROUND) and now < until:
        now += STEP
        visit.advance(now, push or (lambda: straight_to(visit.round)))
    return now


def test_the_title_waits(make):
    visit = make()
    for now in (0.0, 10.0, 1000.0):
        visit.advance(now, lambda: 1)
    assert visit.phase is Phase.TITLE
    assert visit.round is None
    assert not visit.is_done


def test_a_round_from_the_title_to_the_end(make):
    told = []
    visit = make(told=told)
    begin(visit, 100.0)
    assert visit.phase is Phase.COUNTDOWN
    counts = []
    for number in range(9):
        now = 100 + (number + 0.5) * COUNTDOWN / 9
        visit.advance(now, lambda: 1)
        counts.append(visit.count(now))
    assert counts == [3, 3, 3, 2, 2, 2, 1, 1, 1]
    assert visit.round.duel.status.seconds == 0.0
    visit.advance(100.0 + COUNTDOWN, lambda: 1)
    assert visit.phase is Phase.ROUND
    now = play_on(visit, 100.0 + COUNTDOWN)
    assert visit.phase is Phase.END
    assert visit.round.is_won
    assert now - 100 - COUNTDOWN == pytest.approx(visit.round.duel.status.seconds, abs=0.04)
    assert visit.is_best
    assert visit.best_before is None
    (line,) = told
    seconds = f"{visit.round.duel.status.seconds:.1f} s"
    assert line.startswith(f"seed 5: you v rest: Caught in {seconds}: ")
    assert " pursuit, " in line
    assert line.endswith(". Your new best.")
    assert len(visit.others) == 2


def test_a_step_is_due_thirty_times_a_second_whatever_the_frame_rate(make):
    counts = {}
    for frames in (7, 30, 60, 144):
        visit = make()
        begin(visit, 0.0)
        for frame in range(int((COUNTDOWN + 1.0) * frames) + 1):
            visit.advance(frame / frames, lambda: 1j)
        counts[frames] = len(visit.round.actions)
    assert 25 <= counts.pop(7) <= 31
    assert all(29 <= count <= 31 for count in counts.values())


def test_the_person_is_asked_at_every_step(make):
    visit, asked = make(), []

    def push():
        asked.append(len(visit.round.actions))
        return 1j

    begin(visit, 0.0)
    visit.advance(COUNTDOWN, push)
    visit.advance(COUNTDOWN + 0.21, push)
    assert asked == list(range(6)) == list(range(len(visit.round.actions)))


def test_a_round_begins_when_the_countdown_ends_not_a_frame_later(make):
    visit = make()
    begin(visit, 0.0)
    visit.advance(COUNTDOWN + 2 * STEP, lambda: 1)
    assert len(visit.round.actions) == 2


def test_a_slow_frame_is_caught_up_within_a_limit(make):
    visit = make()
    begin(visit, 0.0)
    visit.advance(COUNTDOWN, lambda: 1)
    visit.advance(COUNTDOWN + 0.1, lambda: 1)
    assert len(visit.round.actions) == 3
    visit.advance(COUNTDOWN + 60.0, lambda: 1)
    assert 3 < len(visit.round.actions) < 15


def test_pauses_stop_the_countdown_and_the_round(make):
    visit = make()
    begin(visit, 0.0)
    visit.advance(0.5 * COUNT_SECONDS, lambda: 1)
    visit.pause(0.5 * COUNT_SECONDS)
    visit.advance(50.0, lambda: 1)
    assert (visit.phase, visit.count(50.0)) == (Phase.COUNTDOWN, 3)
    visit.pause(50.0)
    visit.advance(50.0 + COUNTDOWN - 0.6 * COUNT_SECONDS, lambda: 1)
    assert visit.phase is Phase.COUNTDOWN
    visit.advance(50.0 + COUNTDOWN - 0.4 * COUNT_SECONDS, lambda: 1)
    assert visit.phase is Phase.ROUND
    before = len(visit.round.actions)
    visit.pause(60.0)
    visit.advance(70.0, lambda: 1)
    assert len(visit.round.actions) == before
    visit.pause(70.0)
    visit.advance(70.0 + STEP, lambda: 1)
    assert len(visit.round.actions) == before + 1


def test_the_countdown_begins_when_the_others_have_been_played(make, monkeypatch):
    visit, asked = make(), []

    def slow(*of):
        asked.append(of)
        return others(*of)

    monkeypatch.setattr(visit_module, "others", slow)
    visit.begin()
    assert not asked
    visit.advance(0.0, lambda: 1)
    assert len(asked) == 1
    assert visit.count(30.0) == COUNTS
    visit.advance(30.0, lambda: 1)  # so long did it take
    visit.advance(30.0 + 0.9 * COUNTDOWN, lambda: 1)
    assert visit.phase is Phase.COUNTDOWN
    visit.advance(30.0 + COUNTDOWN, lambda: 1)
    assert visit.phase is Phase.ROUND
    assert len(asked) == 1


def test_a_countdown_paused_at_once_keeps_its_length(make):
    visit = make()
    visit.begin()
    visit.pause(0.0)
    visit.advance(5.0, lambda: 1)
    visit.pause(10.0)
    for now in (10.0, 20.0, 20.0 + 0.9 * COUNTDOWN):
        visit.advance(now, lambda: 1)
        assert visit.phase is Phase.COUNTDOWN
    visit.advance(20.0 + COUNTDOWN, lambda: 1)
    assert visit.phase is Phase.ROUND


@pytest.mark.parametrize("rounds", [None, 3])
@pytest.mark.parametrize("phase", list(Phase))
def test_nothing_goes_on_while_it_is_held(make, phase, rounds):
    visit, now = make(rounds=rounds, horizon=30), 0.0
    if phase is Phase.TIMES:
        visit.show_times()
    elif phase is not Phase.TITLE:
        begin(visit, now)
    if phase in (Phase.ROUND, Phase.END, Phase.REPLAY):
        now += COUNTDOWN
        visit.advance(now, lambda: 0j)
    if phase in (Phase.END, Phase.REPLAY):
        now = play_on(visit, now, lambda: 0j)
    if phase is Phase.REPLAY:
        visit.show_replay()
        visit.advance(now, lambda: 0j)
    for _ in range(2):  # to hold what is held changes nothing
        visit.hold(now)
    before = visit.round and (visit.round, visit.round.history.last)
    for _ in range(1000):
        now += STEP
        visit.advance(now, lambda: 1)
    assert visit.phase is phase
    assert before == (visit.round and (visit.round, visit.round.history.last))
    assert visit.replay is None or visit.replay.moment == 0
    if phase in (Phase.TITLE, Phase.TIMES, Phase.END):
        begin(visit, now)
        assert visit.phase is Phase.COUNTDOWN
        assert not visit.is_paused
    elif phase is Phase.REPLAY:
        visit.replay.pause()
        visit.advance(now + 3.5 * STEP, lambda: 1)
        assert visit.replay.moment == 3
    else:
        visit.pause(now)
        play_on(visit, now, lambda: 0j)
        assert visit.phase is Phase.END


def test_a_new_round_has_a_new_start_and_again_the_same_one(make):
    visit = make(seed=5)
    begin(visit, 0.0)
    first = visit.round
    visit.again()
    assert visit.round is not first
    assert visit.round.seed == 5
    assert_same(visit.round.history.recording().states, first.history.recording().states)
    begin(visit, 0.0)
    assert visit.round.seed == 6


def test_drawn_seeds_differ(make):
    visit, seeds = make(seed=None), set()
    for _ in range(5):
        begin(visit, 0.0)
        seeds.add(visit.round.seed)
    assert len(seeds) > 3


def test_the_round_that_was_played_replays_exactly(make):
    visit = make(opponent="wander", horizon=60)
    begin(visit, 0.0)
    play_on(visit, 0.0)
    visit.show_replay()
    assert visit.phase is Phase.REPLAY
    mine, *rest = [game.recording() for game in visit.replay.games]
    again = replayed(visit.round.challenge, visit.round.seed, visit.round.actions)
    assert_same(again.states, mine.states)
    assert [other.names[0] for other in rest] == ["pursuit", "tuned/walls/pursuer"]
    for other in rest:
        assert_same(other.states[0]["players"], mine.states[0]["players"])
    visit.advance(100.0, lambda: 1)
    visit.advance(100.1, lambda: 1)
    assert visit.replay.moment == 3


def test_the_way_back_leads_out(make):
    visit = make(horizon=10)
    begin(visit, 0.0)
    play_on(visit, 0.0)
    visit.show_replay()
    phases = []
    while not visit.is_done:
        phases.append(visit.phase)
        visit.back(50.0)
    assert phases == [Phase.REPLAY, Phase.END, Phase.TITLE]


def test_only_an_end_can_be_replayed(make):
    visit = make()
    visit.show_replay()
    assert visit.phase is Phase.TITLE
    begin(visit, 0.0)
    visit.show_replay()
    assert visit.phase is Phase.COUNTDOWN
    visit.back(0.0)
    assert visit.phase is Phase.TITLE
    visit.pause(0.0)
    assert not visit.is_paused


def test_a_number_of_rounds_begins_and_ends_by_itself(make):
    told = []
    visit = make(rounds=2, told=told, horizon=10)
    now, phases = 0.0, []
    while not visit.is_done and now < 60.0:
        visit.advance(now, lambda: 0j)
        now += STEP
        if not phases or phases[-1] is not visit.phase:
            phases.append(visit.phase)
    assert phases == [Phase.COUNTDOWN, Phase.ROUND, Phase.END] * 2
    assert len(told) == 2
    assert now == pytest.approx(2 * (COUNTDOWN + 10 * STEP + END_SECONDS), abs=0.5)


def test_after_the_last_round_the_same_start_can_still_be_played(make):
    visit = make(rounds=1, horizon=10)
    visit.advance(0.0, lambda: 0j)
    now = play_on(visit, 0.0)
    visit.again()
    assert visit.phase is Phase.COUNTDOWN
    now = play_on(visit, now)
    visit.begin()
    assert visit.is_done


def test_a_replay_is_not_cut_short_by_the_next_round(make):
    visit = make(rounds=1, horizon=10)
    visit.advance(0.0, lambda: 0j)
    now = play_on(visit, 0.0)
    visit.show_replay()
    visit.advance(now + 100, lambda: 0j)
    assert visit.phase is Phase.REPLAY
    visit.back(now + 100)
    visit.advance(now + 100 + 0.9 * END_SECONDS, lambda: 0j)
    assert visit.phase is Phase.END
    visit.advance(now + 100 + END_SECONDS, lambda: 0j)
    assert visit.is_done


def test_best_times_are_held_against_earlier_rounds(make):
    visit = make(side=EVADER, opponent="rest", horizon=20)
    for is_best in (True, False):  # free for as long as it goes, and again
        begin(visit, 0.0)
        play_on(visit, 0.0, lambda: 0j)
        assert visit.round.is_won
        assert visit.is_best == is_best
    assert visit.best_before.seconds == pytest.approx(20 * STEP, abs=1e-3)


def test_a_start_has_a_best_time_of_its_own(make):
    visit = make(side=EVADER, horizon=20)
    seen = []
    for seed in (5, 6, 6):
        visit.begin(seed)
        for now in (0.0, 0.0):
            visit.advance(now, lambda: 0j)
        play_on(visit, 0.0, lambda: 0j)
        seen.append((visit.is_best, visit.best_before, visit.start_before))
    assert [is_best for is_best, *_ in seen] == [True, False, False]
    assert [best and best.seed for _, best, _ in seen] == [None, 5, 5]
    assert [start and start.seed for *_, start in seen] == [None, None, 6]


def test_the_number_of_a_start_can_be_written_drawn_and_dropped(make):
    visit = make(seed=None)
    for digit in ("1", "2", "3", ""):
        visit.write_seed(digit)
    assert visit.next_seed == 12
    begin(visit, 0.0)
    assert (visit.round.seed, visit.next_seed) == (12, 13)
    for _ in range(30):  # no number is larger than a seed can be
        visit.write_seed("9")
    assert visit.next_seed == int("13" + 18 * "9")
    for _ in range(25):
        visit.write_seed("")
    assert visit.next_seed is None
    visit.draw_seed(True)
    assert visit.next_seed is not None
    visit.draw_seed(False)
    assert visit.next_seed is None


def test_listed_times_begin_a_round_from_their_start(make):
    visit = make(side=EVADER, horizon=20)
    begin(visit, 0.0)
    play_on(visit, 0.0, lambda: 0j)
    visit.back(0.0)
    visit.show_times()
    listed = {level.name: times for level, times in visit.times}
    assert [time.seed for time in listed.pop("your choice")] == [5]
    assert not any(listed.values())
    visit.choose_side(PURSUER)
    assert visit.menu.side is PURSUER
    assert not any(times for _, times in visit.times)
    visit.choose_side(EVADER)
    level = visit.menu.levels[0]
    visit.play_start(level, 77)
    assert (visit.phase, visit.round.seed) == (Phase.COUNTDOWN, 77)
    assert visit.round.challenge.level is level


@pytest.mark.parametrize(
    ("keywords", "error"),
    [({"seed": -1}, ValueError), ({"rounds": 0}, ValueError), ({"seed": 1.5}, TypeError)],
)
def test_seeds_and_rounds_are_checked(make, keywords, error):
    with pytest.raises(error, match=next(iter(keywords))):
        make(**keywords)
