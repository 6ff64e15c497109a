// Rounds that a person plays: a countdown, the round, its end, and how others do from there.

const LONGEST_FRAME = 0.25; // seconds: after a longer one, time was lost, not played
const DAILY_ROUNDS = 5;
const STORED = "steer_env best times";

/** Seconds as they are kept. */
const rounded = (seconds) => Math.round(seconds * 1000) / 1000;

/** Best times, kept by the browser; where it keeps nothing, until the page closes. */
class BestTimes {
  constructor() {
    this.times = {};
    this.read();
  }

  /** Reads what is kept, also by other windows. */
  read() {
    try {
      const kept = JSON.parse(localStorage.getItem(STORED));
      if (isTable(kept)) this.times = kept;
    } catch {
      // What cannot be read is written anew.
    }
  }

  /** The best seconds of a challenge; null for none. */
  of(challenge) {
    const seconds = Object.hasOwn(this.times, challenge) ? this.times[challenge] : null;
    return Number.isFinite(seconds) ? seconds : null;
  }

  /** Keeps a time if it is the best; returns whether it is. */
  offer(challenge, seconds, isLongerBetter) {
    this.read();
    const [best, time] = [this.of(challenge), rounded(seconds)];
    if (best !== null && (isLongerBetter ? time <= best : time >= best)) return false;
    this.times[challenge] = time;
    try {
      localStorage.setItem(STORED, JSON.stringify(this.times));
    } catch {
      // A page that may keep nothing remembers until it closes.
    }
    return true;
  }
}

/** The rounds of a person: phase is "ready", "count", "round", "pause" or "end". */
class Rounds {
  constructor(machine) {
    this.machine = machine;
    this.best = new BestTimes();
    this.phase = "ready";
    this.episode = null;
    this.ghosts = [];
    this.daily = null; // {day, times}: of the rounds of a day that are played
  }

  /** Makes a round ready; `link` says which, see `readLink`. */
  prepare(link, seed) {
    this.close();
    this.recorded = null;
    this.isForeign = false;
    this.link = { ...link, seed };
    const base = library.games[link.game];
    this.level = base.levels[link.as].find(({ name }) => name === link.level);
    this.game = gameWith(base, changesOfLevel(this.level, link.as));
    this.opponent = link.opponent ?? this.level.opponent;
    this.episode = new LiveEpisode(this.machine, this.game, this.sidesWith(YOU), seed);
    this.ghosts = [];
    this.phase = "ready";
    this.rest = 0;
  }

  /**
   * Shows a round that was played before, at its end.
   *
   * It may be of another game than those of the levels: then it gives no best time, and it cannot
   * be played again.
   */
  show(episode, link) {
    this.close();
    this.daily = null;
    const side = SIDES.indexOf(link.as);
    const opponent = episode.sides[1 - side];
    Object.assign(this, { episode, game: episode.game, opponent: opponent.name });
    this.recorded = opponent;
    const base = library.games[link.game];
    this.level = base.levels[link.as]?.find((level) => {
      const game = gameWith(base, changesOfLevel(level, link.as));
      return isSameGame(game, this.game) && !Object.keys(opponent.changes ?? {}).length;
    });
    this.isForeign = !this.level || !canPlay(opponent.name, this.game);
    const isLevels = this.level?.opponent === opponent.name;
    this.link = {
      ...link,
      level: this.level?.name ?? link.level,
      opponent: this.isForeign || isLevels ? null : opponent.name,
    };
    this.level ??= { name: "", text: "recorded", opponent: opponent.name };
    this.ghosts = [];
    this.phase = "end";
    this.rest = 0;
    this.isBest = false;
    this.bestBefore = this.isForeign ? null : this.best.of(this.challenge);
    this.startBefore = this.isForeign ? null : this.best.of(this.challengeOfSeed);
    this.playGhosts();
  }

  /** Both sides' players, with one of this name on the person's side. */
  sidesWith(name) {
    const own = playerNamed(name);
    const other = this.recorded ?? playerNamed(this.opponent);
    return this.isPursuer ? [own, other] : [other, own];
  }

  close() {
    this.episode?.close();
    for (const { episode } of this.ghosts) episode.close();
  }

  get isPursuer() {
    return this.link.as === "pursuer";
  }

  /** The number of the person's vehicle. */
  get vehicle() {
    return this.isPursuer ? 0 : this.game.pursuers;
  }

  begin() {
    this.phase = "count";
    this.left = library.counts.number * library.counts.seconds;
    this.playGhosts();
  }

  /** Whether a round of this link is here already. */
  isOf(link) {
    const names = ["game", "as", "level", "opponent"];
    const isSame = this.link && names.every((name) => this.link[name] === link[name]);
    return Boolean(isSame) && BigInt(this.link.seed) === BigInt(link.seed);
  }

  get isRunning() {
    return ["count", "round"].includes(this.phase);
  }

  /** Whether there is another of the day's rounds. */
  get goesOnToday() {
    return Boolean(this.daily) && this.daily.times.length < DAILY_ROUNDS;
  }

  /** The number that the countdown shows. */
  get count() {
    const { number, seconds } = library.counts;
    return Math.min(Math.floor(this.left / seconds) + 1, number);
  }

  /** The players that the person is compared with: the textbook's script, and a better one. */
  get rivals() {
    const side = this.link.as;
    const isLevels = this.level.rival && this.opponent === this.level.opponent;
    const rival = isLevels ? this.level.rival : library.strong[side];
    return [{ name: library.textbook[side], title: library.textbook[side] }, rival];
  }

  /** Plays the rivals in the person's place. */
  playGhosts() {
    if (this.ghosts.length || !this.isOpponentKnown) return;
    for (const { name, title } of this.rivals) {
      const sides = this.sidesWith(name);
      const seed = BigInt(this.link.seed);
      const episode = new LiveEpisode(this.machine, this.game, sides, seed, false).finish();
      this.ghosts.push({ name, title, episode });
    }
  }

  /** Whether the opponent can play again: one that a file brought may be known by name alone. */
  get isOpponentKnown() {
    return !this.recorded || Boolean(this.recorded.script || this.recorded.network);
  }

  pause() {
    if (this.phase === "pause") this.phase = this.left > 0 ? "count" : "round";
    else if (this.isRunning) this.phase = "pause";
  }

  /** Lets seconds pass; `push` is called for every step. Returns whether the round ended now. */
  advance(seconds, push) {
    let time = Math.min(seconds, LONGEST_FRAME);
    if (this.phase === "count") {
      const used = Math.min(this.left, time);
      this.left -= used;
      time -= used;
      if (this.left <= 0) this.phase = "round";
    }
    if (this.phase !== "round") return false;
    this.rest += time;
    while (this.rest >= this.game.dt) {
      this.rest -= this.game.dt;
      this.step(push());
      if (this.episode.isOver) {
        this.end();
        return true;
      }
    }
    return false;
  }

  /** Plays a step in which the person pushes in a direction of the arena. */
  step(push) {
    const heading = this.episode.engine.column("heading");
    const own = [heading[2 * this.vehicle], heading[2 * this.vehicle + 1]];
    const action = actionOfPush(push, own);
    this.episode.step(this.isPursuer ? [action] : [undefined, action]);
  }

  /** The time to draw, in steps: between the last two moments, so that motion is smooth. */
  get time() {
    const { steps } = this.episode;
    if (this.phase !== "round") return steps;
    return Math.max(steps - 1 + this.rest / this.game.dt, 0);
  }

  end() {
    this.phase = "end";
    this.rest = 0;
    const { seconds } = this.episode;
    this.bestBefore = this.best.of(this.challenge);
    this.startBefore = this.best.of(this.challengeOfSeed);
    this.isBest = this.isTimed && this.best.offer(this.challenge, seconds, !this.isPursuer);
    if (this.isTimed) this.best.offer(this.challengeOfSeed, seconds, !this.isPursuer);
    if (this.daily) this.endDaily(seconds);
  }

  /** Whether the round gives a time: a pursuer's has none without a capture. */
  get isTimed() {
    return !this.isPursuer || this.episode.isCaught;
  }

  /** What comparable rounds have in common. */
  get challenge() {
    return [this.link.as, this.opponent, JSON.stringify(this.game.keywords)].join(" ");
  }

  get challengeOfSeed() {
    return `${this.challenge} ${this.link.seed}`;
  }

  // ------------------------------------------------------------------------------ the day's

  /** The seed of the next of the day's rounds; begins them if none are played. */
  dailySeed(day) {
    if (this.daily?.day !== day || this.daily.times.length >= DAILY_ROUNDS) {
      this.daily = { day, times: [], others: [] };
    }
    return BigInt(day) * 10n + BigInt(this.daily.times.length + 1);
  }

  endDaily(seconds) {
    const ofOther = this.ghosts[0].episode;
    this.daily.times.push(this.isTimed ? seconds : this.game.horizon * this.game.dt);
    this.daily.others.push(ofOther.seconds);
    if (this.daily.times.length === DAILY_ROUNDS) {
      this.daily.isBest = this.best.offer(
        `daily ${this.daily.day} ${this.challenge}`,
        sumOf(this.daily.times),
        !this.isPursuer,
      );
    }
  }

  /** A sentence that concludes: how the person did beside the rivals. */
  get conclusion() {
    return conclude(this.isPursuer, this.game.evaders, this.episode, this.ghosts);
  }

  /** How the round compares with the person's earlier ones. */
  get bestText() {
    const seconds = rounded(this.episode.seconds);
    const isBetter = (than) =>
      this.isTimed && (than === null || (this.isPursuer ? seconds < than : seconds > than));
    const [best, start] = [this.bestBefore, this.startBefore];
    const before = (time) => (time === null ? "" : ` (before: ${time.toFixed(1)} s)`);
    const parts = [];
    if (isBetter(best)) parts.push(`Your new best${before(best)}.`);
    if (start !== null && isBetter(start) && start !== best)
      parts.push(`Your new best from this start${before(start)}.`);
    if (start !== null && !isBetter(start))
      parts.push(`Your best from this start: ${start.toFixed(1)} s.`);
    if (best !== null && !isBetter(best) && best !== start)
      parts.push(`Your best: ${best.toFixed(1)} s.`);
    return parts.join(" ");
  }
}

const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

/** Whether two games have the same rules. */
const isSameGame = (one, other) =>
  ["name", "obstacles", "captureRadius"].every((key) => one[key] === other[key]) &&
  one.arena.size === other.arena.size &&
  SIDES.every((side) => String(one.limits[side]) === String(other.limits[side]));

const tenths = ({ seconds }) => Number(seconds.toFixed(1));

/** How a person's round compares with the rivals' from the same start, as in the program. */
function conclude(isPursuer, evaders, mine, rivals) {
  if (!mine.isOver) return "The round was not finished.";
  const parts = rivals.map(({ title, episode }) =>
    comparison(isPursuer, evaders, mine, title, episode),
  );
  const head = headline(isPursuer, evaders, mine);
  return parts.length ? `${head}: ${parts.join(", ")}.` : `${head}.`;
}

/** The end of a person's round in a few words. */
function headline(isPursuer, evaders, mine) {
  const time = `${mine.seconds.toFixed(1)} s`;
  if (!isPursuer) return mine.isCaught ? `Caught after ${time}` : `Free for ${time}`;
  if (mine.isCaught) return `${evaders > 1 ? "All caught" : "Caught"} in ${time}`;
  if (evaders > 1) return `${mine.captured} of ${evaders} caught in ${time}`;
  return `Not caught in ${time}`;
}

/** How another player did beside the person. */
function comparison(isPursuer, evaders, mine, name, theirs) {
  const time = `${theirs.seconds.toFixed(1)} s`;
  if (mine.isCaught && theirs.isCaught) {
    const late = Number((tenths(mine) - tenths(theirs)).toFixed(1)); // of the times that are shown
    if (late === 0) return isPursuer ? `level with ${name}` : `as long as ${name}`;
    const words = isPursuer
      ? late > 0
        ? "behind"
        : "ahead of"
      : late > 0
        ? "longer than"
        : "shorter than";
    return `${Math.abs(late).toFixed(1)} s ${words} ${name}`;
  }
  if (!isPursuer)
    return theirs.isCaught ? `${name} is caught after ${time}` : `${name} gets away`;
  const quarry = evaders > 1 ? "them all" : "it";
  return theirs.isCaught
    ? `${name} catches ${quarry} in ${time}`
    : `${name} does not catch ${quarry}`;
}

/** Today, in the whole world's time, as a number such as 20261125. */
function today() {
  return Number(new Date().toISOString().slice(0, 10).replaceAll("-", ""));
}
