// Ten thousand games of two pursuers against one evader, and when they end.

const GAMES = 10000;
const GAMES_AT_ONCE = 500;
const BINS = 40;

/** The capture times of a pair so far. */
class Outcomes {
  constructor(name, horizonSeconds) {
    this.name = name;
    this.horizon = horizonSeconds;
    this.bins = new Array(BINS).fill(0);
    this.games = this.captured = this.total = 0;
  }

  add(seconds, isCaptured) {
    this.games += 1;
    if (!isCaptured) return;
    this.captured += 1;
    this.total += seconds;
    const bin = Math.min(Math.floor((seconds / this.horizon) * BINS), BINS - 1);
    this.bins[bin] += 1;
  }

  /** The share of games with a capture, with half the length of its 95 % interval. */
  get rate() {
    const share = this.captured / Math.max(this.games, 1);
    return [share, 1.96 * Math.sqrt((share * (1 - share)) / Math.max(this.games, 1))];
  }

  get mean() {
    return this.total / Math.max(this.captured, 1);
  }

  /** The numbers in a line. */
  get words() {
    const [share, half] = this.rate.map((number) => (100 * number).toFixed(1));
    const mean = this.captured ? `, after ${this.mean.toFixed(2)} s on average` : "";
    const games = `${this.games.toLocaleString("en")} games`;
    return `${breakable(this.name)}: ${share} ± ${half} % caught${mean} (${games})`;
  }
}

/** A task that plays the games of some pairs in turn; calls `show` after every portion. */
function* outcomesTask(machine, game, pairs, firstSeed, show) {
  const horizon = game.horizon * game.dt;
  const outcomes = pairs.map(([{ name }]) => new Outcomes(name, horizon));
  for (let first = 0; first < GAMES; first += GAMES_AT_ONCE) {
    for (const [place, pair] of pairs.entries()) {
      const engine = new Engine(machine, game, pair, GAMES_AT_ONCE);
      try {
        const seeds = Array.from({ length: GAMES_AT_ONCE }, (_, k) =>
          BigInt.asUintN(64, firstSeed + BigInt(first + k)),
        );
        engine.start(seeds);
        const slice = engine.isSteered.includes(true) ? 1 : 60;
        for (let step = 0; step < game.horizon && engine.isRunning(); step += slice) {
          engine.step(slice);
          yield;
        }
        const steps = engine.column("steps");
        engine.column("captured").forEach((captured, k) => {
          outcomes[place].add(Number(steps[k]) * game.dt, Number(captured) === game.evaders);
        });
      } finally {
        engine.close();
      }
      show(outcomes);
    }
  }
}

/** Draws the histograms of two pursuers, one above and one below the line of time. */
function drawHistogram(context, width, height, outcomes, colors) {
  context.clearRect(0, 0, width, height);
  const most = Math.max(1, ...outcomes.flatMap(({ bins }) => bins));
  const middle = height / 2;
  const room = middle - 8;
  const step = width / BINS;
  const tints = [colors.pursuer, colors.force];
  outcomes.forEach(({ bins }, place) => {
    const direction = place === 0 ? -1 : 1;
    context.fillStyle = tints[place];
    context.globalAlpha = 0.75;
    bins.forEach((count, bin) => {
      const tall = (room * count) / most;
      const top = direction < 0 ? middle - 7 - tall : middle + 7;
      context.fillRect(bin * step + 0.5, top, step - 1, tall);
    });
    context.globalAlpha = 1;
  });
  const [{ horizon }] = outcomes;
  for (let seconds = 0; seconds <= horizon; seconds += horizon / 4) {
    const align = seconds === 0 ? "left" : seconds >= horizon ? "right" : "center";
    const column = (width * seconds) / horizon;
    writeText(context, `${Number(seconds.toFixed(1))} s`, colors.faint, column, middle, {
      size: 10,
      align,
    });
  }
}
