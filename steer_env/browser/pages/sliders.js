// The numbers of a game that the laboratory can change: by a slider, and by name in links.

const speedOf = (side) => {
  const range = { low: 1, high: 8, step: 0.1 };
  return { of: [side, "max_speed"], label: `${side}’s speed`, unit: "m/s", ...range };
};

const forceOf = (side) => {
  const range = { low: 1, high: 40, step: 0.5 };
  return { of: [side, "max_force"], label: `${side}’s force`, unit: "N", ...range };
};

/** What each slider changes of a game (see `gameWith`), what it is called, and its range. */
const SLIDERS = {
  pursuerSpeed: speedOf("pursuer"),
  evaderSpeed: speedOf("evader"),
  pursuerForce: forceOf("pursuer"),
  evaderForce: forceOf("evader"),
  radius: {
    of: ["captureRadius"],
    label: "capture radius",
    unit: "m",
    low: 0.2,
    high: 2,
    step: 0.05,
  },
  size: { of: ["arenaSize"], label: "arena", unit: "m", low: 12, high: 40, step: 1 },
  obstacles: { of: ["obstacles"], label: "obstacles", unit: "", low: 0, high: 8, step: 1 },
};

/** The changes of a game that sliders stand for; see `gameWith`. */
function changesOf(sliders) {
  const changes = {};
  for (const [name, value] of Object.entries(sliders)) {
    const [first, second] = SLIDERS[name].of;
    if (second) changes[first] = { ...changes[first], [second]: value };
    else changes[first] = value;
  }
  return changes;
}

/** The sliders that changes stand for. */
function slidersOf(changes) {
  const sliders = {};
  for (const [name, { of }] of Object.entries(SLIDERS)) {
    const [first, second] = of;
    const value = second ? changes[first]?.[second] : changes[first];
    if (value !== undefined) sliders[name] = value;
  }
  return sliders;
}

/** The values of all sliders in a game. */
function valuesOfSliders({ limits, captureRadius, arena, obstacles }) {
  const ofSide = (side) => {
    const pairs = library.layout.names.limit.map((name, place) => [name, limits[side][place]]);
    return Object.fromEntries(pairs);
  };
  const sides = { pursuer: ofSide("pursuer"), evader: ofSide("evader") };
  return slidersOf({ ...sides, captureRadius, arenaSize: arena.size, obstacles });
}
