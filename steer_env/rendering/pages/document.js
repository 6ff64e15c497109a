// The document: its elements, its theme and its texts; what all pages share.

/** The labels of annotations on their switches, where they are not the names. */
const LABELS = {
  force: "steering force",
  aim: "aim and lead",
  capture: "capture radius",
  threat: "threat range",
  wander: "wander circle",
  view: "field of view",
  corridor: "obstacle corridor",
  apollonius: "Apollonius circle",
};

const SIDES = ["pursuer", "evader"];
const [PURSUER, EVADER] = [0, 1];

const find = (id) => document.getElementById(id);
const root = document.documentElement;
const stillness = matchMedia("(prefers-reduced-motion: reduce)");
const fingers = matchMedia("(pointer: coarse)");
const darkness = matchMedia("(prefers-color-scheme: dark)");

function create(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** The entries of a definition list, from pairs of a term and its description. */
function entriesOf(rows) {
  return rows.flatMap(([term, text]) => [create("dt", {}, term), create("dd", {}, text)]);
}

/** Returns a context that draws in CSS pixels, sharp on any display. */
function prepare(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = window.devicePixelRatio || 1;
  const [wide, tall] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== tall) {
    Object.assign(canvas, { width: wide, height: tall });
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width, height };
}

/** The view of an episode at a size. It is cached: in the open it depends on all positions. */
function viewOf(episode, side, margin) {
  if (episode.view?.side !== side) episode.view = new View(episode, side, margin);
  return episode.view;
}

/** A name that can be broken between its parts. */
const breakable = (name) => name.replace(/[/_]/g, "$&\u200b");

const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function isDark() {
  const { theme } = root.dataset;
  return theme ? theme === "dark" : darkness.matches;
}

/** The colors of the pictures by name, from the style sheet, which Python fills in. */
function colorsOfStyle() {
  const style = getComputedStyle(root);
  const grounds = ["background", "ground", "grid", "wall", "obstacle"];
  const lines = ["pursuer", "evader", "textbook", "rival"];
  const others = ["ink", "faint", "force", "apollonius"];
  const names = [...grounds, ...others, ...lines, ...lines.map((name) => `${name}-text`)];
  const entryOf = (name) => [name, style.getPropertyValue(`--${name}`).trim()];
  return Object.fromEntries(names.map(entryOf));
}
