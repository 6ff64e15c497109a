"""From the title to the replay and back, without a window or a clock."""

import pytest
from envs.same import assert_same

from play.rounds import NotedRound, replayed, straight_to
from steer_env.envs.keywords import game_config
from steer_env.game.state import EVADER, PURSUER
from steer_env.play import session as session_module
from steer_env.play.best_times import BestTimes
from steer_env.play.comparison import others
from steer_env.play.menu import Menu
from steer_env.play.session import COUNT_SECONDS, COUNTS, END_SECONDS, Phase, Session

COUNTDOWN = COUNTS * COUNT_SECONDS
STEP = 1 / 30


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Makes sessions in which the opponent rests."""
    monkeypatch.setattr(session_module, "Round", NotedRound)

    def made(side=PURSUER, opponent="rest", seed=5, rounds=None, told=None, **keywords):
        menu = Menu(side, game_config(**keywords), opponent=opponent)
        times = BestTimes(tmp_path / "times.json")
        tell = told.append if told is not None else lambda line: None
        return Session(menu, times, seed, rounds, tell)

    return made


def begin(session, now):
    """Begins a round, with a countdown from that time on."""
    session.begin()
    for _ in range(2):  # after the first call, it is known what others do
        session.advance(now, lambda: 1)


def play_on(session, now, push=None, seconds=60.0):
    """Lets time pass until the round is over; the time then."""
    until = now + seconds
    while session.phase in (Phase.COUNTDOWN, Phase.ROUND) and now < until:
        now += STEP
        session.advance(now, push or (lambda: straight_to(session.round)))
    return now


def test_the_title_waits(make):
    session = make()
    for now in (0.0, 10.0, 1000.0):
        session.advance(now, lambda: 1)
    assert session.phase is Phase.TITLE
    assert session.round is None
    assert not session.is_done


def test_a_round_from_the_title_to_the_end(make):
    told = []
    session = make(told=told)
    begin(session, 100.0)
    assert session.phase is Phase.COUNTDOWN
    counts = []
    for number in range(9):
        now = 100 + (number + 0.5) * COUNTDOWN / 9
        session.advance(now, lambda: 1)
        counts.append(session.count(now))
    assert counts == [3, 3, 3, 2, 2, 2, 1, 1, 1]
    assert session.round.seconds == 0.0
    session.advance(100.0 + COUNTDOWN, lambda: 1)
    assert session.phase is Phase.ROUND
    now = play_on(session, 100.0 + COUNTDOWN)
    assert session.phase is Phase.END
    assert session.round.is_won
    assert now - 100 - COUNTDOWN == pytest.approx(session.round.seconds, abs=0.04)
    assert session.is_best
    assert session.best_before is None
    (line,) = told
    assert line.startswith("seed 5: you v rest: caught after")
    assert "(new best); pursuit: caught after" in line
    assert len(session.others) == 2


def test_a_step_is_due_thirty_times_a_second_whatever_the_frame_rate(make):
    counts = {}
    for frames in (7, 30, 60, 144):
        session = make()
        begin(session, 0.0)
        for frame in range(int((COUNTDOWN + 1.0) * frames) + 1):
            session.advance(frame / frames, lambda: 1j)
        counts[frames] = len(session.round.actions)
    assert 25 <= counts.pop(7) <= 31
    assert all(29 <= count <= 31 for count in counts.values())


def test_the_person_is_asked_at_every_step(make):
    session, asked = make(), []

    def push():
        asked.append(len(session.round.actions))
        return 1j

    begin(session, 0.0)
    session.advance(COUNTDOWN, push)
    session.advance(COUNTDOWN + 0.21, push)
    assert asked == list(range(6)) == list(range(len(session.round.actions)))


def test_a_round_begins_when_the_countdown_ends_not_a_frame_later(make):
    session = make()
    begin(session, 0.0)
    session.advance(COUNTDOWN + 2 * STEP, lambda: 1)
    assert len(session.round.actions) == 2


def test_a_slow_frame_is_caught_up_within_a_limit(make):
    session = make()
    begin(session, 0.0)
    session.advance(COUNTDOWN, lambda: 1)
    session.advance(COUNTDOWN + 0.1, lambda: 1)
    assert len(session.round.actions) == 3
    session.advance(COUNTDOWN + 60.0, lambda: 1)
    assert 3 < len(session.round.actions) < 15


def test_pauses_stop_the_countdown_and_the_round(make):
    session = make()
    begin(session, 0.0)
    session.advance(0.5 * COUNT_SECONDS, lambda: 1)
    session.pause(0.5 * COUNT_SECONDS)
    session.advance(50.0, lambda: 1)
    assert (session.phase, session.count(50.0)) == (Phase.COUNTDOWN, 3)
    session.pause(50.0)
    session.advance(50.0 + COUNTDOWN - 0.6 * COUNT_SECONDS, lambda: 1)
    assert session.phase is Phase.COUNTDOWN
    session.advance(50.0 + COUNTDOWN - 0.4 * COUNT_SECONDS, lambda: 1)
    assert session.phase is Phase.ROUND
    before = len(session.round.actions)
    session.pause(60.0)
    session.advance(70.0, lambda: 1)
    assert len(session.round.actions) == before
    session.pause(70.0)
    session.advance(70.0 + STEP, lambda: 1)
    assert len(session.round.actions) == before + 1


def test_the_countdown_begins_when_it_is_known_what_others_do(make, monkeypatch):
    session, asked = make(), []

    def slow(*of):
        asked.append(of)
        return others(*of)

    monkeypatch.setattr(session_module, "others", slow)
    session.begin()
    assert not asked
    session.advance(0.0, lambda: 1)
    assert len(asked) == 1
    assert session.count(30.0) == COUNTS
    session.advance(30.0, lambda: 1)  # so long did it take
    session.advance(30.0 + 0.9 * COUNTDOWN, lambda: 1)
    assert session.phase is Phase.COUNTDOWN
    session.advance(30.0 + COUNTDOWN, lambda: 1)
    assert session.phase is Phase.ROUND
    assert len(asked) == 1


def test_a_countdown_that_was_paused_at_once_is_whole(make):
    session = make()
    session.begin()
    session.pause(0.0)
    session.advance(5.0, lambda: 1)
    session.pause(10.0)
    for now in (10.0, 20.0, 20.0 + 0.9 * COUNTDOWN):
        session.advance(now, lambda: 1)
        assert session.phase is Phase.COUNTDOWN
    session.advance(20.0 + COUNTDOWN, lambda: 1)
    assert session.phase is Phase.ROUND


@pytest.mark.parametrize("rounds", [None, 3])
@pytest.mark.parametrize("phase", list(Phase))
def test_nothing_goes_on_while_it_is_held(make, phase, rounds):
    session, now = make(rounds=rounds, horizon=30), 0.0
    if phase is not Phase.TITLE:
        begin(session, now)
    if phase in (Phase.ROUND, Phase.END, Phase.REPLAY):
        now += COUNTDOWN
        session.advance(now, lambda: 0j)
    if phase in (Phase.END, Phase.REPLAY):
        now = play_on(session, now, lambda: 0j)
    if phase is Phase.REPLAY:
        session.show_replay()
        session.advance(now, lambda: 0j)
    for _ in range(2):  # to hold what is held changes nothing
        session.hold(now)
    before = session.round and (session.round, session.round.history.last)
    for _ in range(1000):
        now += STEP
        session.advance(now, lambda: 1)
    assert session.phase is phase
    assert before == (session.round and (session.round, session.round.history.last))
    assert session.replay is None or session.replay.moment == 0
    if phase in (Phase.TITLE, Phase.END):
        begin(session, now)
        assert session.phase is Phase.COUNTDOWN
        assert not session.is_paused
    elif phase is Phase.REPLAY:
        session.replay.pause()
        session.advance(now + 3.5 * STEP, lambda: 1)
        assert session.replay.moment == 3
    else:
        session.pause(now)
        play_on(session, now, lambda: 0j)
        assert session.phase is Phase.END


def test_rounds_differ_or_have_the_same_start_as_wished(make):
    session = make(seed=5)
    begin(session, 0.0)
    first = session.round
    session.again()
    assert session.round is not first
    assert session.round.seed == 5
    assert_same(session.round.history.recording().states, first.history.recording().states)
    begin(session, 0.0)
    assert session.round.seed == 6


def test_drawn_seeds_differ(make):
    session, seeds = make(seed=None), set()
    for _ in range(5):
        begin(session, 0.0)
        seeds.add(session.round.seed)
    assert len(seeds) > 3


def test_the_round_that_was_played_replays_exactly(make):
    session = make(opponent="wander", horizon=60)
    begin(session, 0.0)
    play_on(session, 0.0)
    session.show_replay()
    assert session.phase is Phase.REPLAY
    mine, *rest = session.replay.recordings
    again = replayed(session.round.challenge, session.round.seed, session.round.actions)
    assert_same(again.states, mine.states)
    assert [other.names[0] for other in rest] == ["pursuit", "pretrained/pursuit/mixture"]
    for other in rest:
        assert_same(other.states[0]["players"], mine.states[0]["players"])
    session.advance(100.0, lambda: 1)
    session.advance(100.1, lambda: 1)
    assert session.replay.moment == 3


def test_the_way_back_leads_out(make):
    session = make(horizon=10)
    begin(session, 0.0)
    play_on(session, 0.0)
    session.show_replay()
    phases = []
    while not session.is_done:
        phases.append(session.phase)
        session.back(50.0)
    assert phases == [Phase.REPLAY, Phase.END, Phase.TITLE]


def test_only_an_end_can_be_replayed(make):
    session = make()
    session.show_replay()
    assert session.phase is Phase.TITLE
    begin(session, 0.0)
    session.show_replay()
    assert session.phase is Phase.COUNTDOWN
    session.back(0.0)
    assert session.phase is Phase.TITLE
    session.pause(0.0)
    assert not session.is_paused


def test_a_number_of_rounds_begins_and_ends_by_itself(make):
    told = []
    session = make(rounds=2, told=told, horizon=10)
    now, phases = 0.0, []
    while not session.is_done and now < 60.0:
        session.advance(now, lambda: 0j)
        now += STEP
        if not phases or phases[-1] is not session.phase:
            phases.append(session.phase)
    assert phases == [Phase.COUNTDOWN, Phase.ROUND, Phase.END] * 2
    assert len(told) == 2
    assert now == pytest.approx(2 * (COUNTDOWN + 10 * STEP + END_SECONDS), abs=0.5)


def test_after_the_last_round_the_same_start_can_still_be_played(make):
    session = make(rounds=1, horizon=10)
    session.advance(0.0, lambda: 0j)
    now = play_on(session, 0.0)
    session.again()
    assert session.phase is Phase.COUNTDOWN
    now = play_on(session, now)
    session.begin()
    assert session.is_done


def test_a_replay_is_not_cut_short_by_the_next_round(make):
    session = make(rounds=1, horizon=10)
    session.advance(0.0, lambda: 0j)
    now = play_on(session, 0.0)
    session.show_replay()
    session.advance(now + 100, lambda: 0j)
    assert session.phase is Phase.REPLAY
    session.back(now + 100)
    session.advance(now + 100 + 0.9 * END_SECONDS, lambda: 0j)
    assert session.phase is Phase.END
    session.advance(now + 100 + END_SECONDS, lambda: 0j)
    assert session.is_done


def test_best_times_are_held_against_earlier_rounds(make):
    session = make(side=EVADER, opponent="rest", horizon=20)
    for is_best in (True, False):  # free for as long as it goes, and again
        begin(session, 0.0)
        play_on(session, 0.0, lambda: 0j)
        assert session.round.is_won
        assert session.is_best == is_best
    assert session.best_before.seconds == pytest.approx(20 * STEP, abs=1e-3)


@pytest.mark.parametrize(
    ("keywords", "error"),
    [({"seed": -1}, ValueError), ({"rounds": 0}, ValueError), ({"seed": 1.5}, TypeError)],
)
def test_seeds_and_rounds_are_checked(make, keywords, error):
    with pytest.raises(error, match=next(iter(keywords))):
        make(**keywords)
