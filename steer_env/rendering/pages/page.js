// Updates the page after changes of its state: the pictures, the texts and the controls.

let areTextsCurrent = true; // false: update texts and controls before the next frame
let arePicturesCurrent = true; // false: draw the pictures before the next frame

/** Call this after every change; the page is updated once, before the next frame. */
function update() {
  arePicturesCurrent = areTextsCurrent = false;
}

function draw() {
  const chosen = state.hovered ?? state.pinned;
  if (state.showsAll) {
    drawTiles();
  } else {
    const { context, width } = prepare(find("arena"));
    const view = viewOf(current(), width);
    drawScene(context, view, current(), state.time, state.shown, state.colors, { chosen });
  }
  drawCard(state.showsAll ? null : chosen);
  const { context, width, height } = prepare(find("distances"));
  const others = state.showsAll ? state.episodes.filter((each) => each !== current()) : [];
  drawTimeline(context, width, height, current(), others, state.time, lastStep(), state.colors);
  const seconds = (time) => (time * current().dt).toFixed(2);
  find("time").textContent = `${seconds(state.time)} / ${seconds(lastStep())} s`;
  const scrub = find("scrub");
  scrub.max = lastStep();
  scrub.value = Math.floor(state.time + 1e-6);
  scrub.setAttribute("aria-valuetext", `${seconds(state.time)} seconds`);
}

/** Shows the numbers of a vehicle beside it; hides them without one. */
function drawCard(number) {
  const card = find("card");
  card.hidden = number === null;
  if (number === null) return;
  const episode = current();
  const player = episode.players[number];
  const pose = poseAt(episode, player, state.time);
  const degrees = (((pose.heading * 180) / Math.PI) % 360 + 360) % 360;
  const distance = nearestOpponentDistance(episode, player, state.time);
  const rows = [
    ["position", `${fixed(pose.x, 2)}, ${fixed(pose.y, 2)} m`],
    ["speed", `${Math.hypot(pose.velocity.x, pose.velocity.y).toFixed(2)} m/s`],
    ["heading", `${Math.round(degrees) % 360}°`],
    ["force", `${Math.hypot(pose.force.x, pose.force.y).toFixed(1)} N`],
    ["opponent", distance === null ? "none" : `${distance.toFixed(2)} m away`],
  ];
  const title = nameOf(episode, number) + (pose.isActive ? "" : ", caught");
  const className = player.side === 0 ? "pursuer" : "evader";
  card.replaceChildren(
    create("strong", { className }, title),
    create("dl", {}, ...entriesOf(rows)),
  );
  placeCard(card, episode.view, pose);
}

/** Places the card beside a vehicle, within the stage and at the height of the picture. */
function placeCard(card, view, pose) {
  const arena = find("arena").getBoundingClientRect();
  const stage = find("stage").getBoundingClientRect();
  const column = arena.left - stage.left + view.column(pose.x);
  const gap = 26;
  const { offsetWidth: width, offsetHeight: height } = card;
  const left = column + gap + width < stage.width ? column + gap : column - gap - width;
  const top = view.row(pose.y) - height / 2;
  const within = (place, room) => Math.max(Math.min(place, room - 4), 4);
  card.style.left = `${within(left, stage.width - width)}px`;
  card.style.top = `${arena.top - stage.top + within(top, view.side - height)}px`;
}

/** Updates texts and controls that do not change in every frame. */
function updateTexts() {
  const episode = current();
  const names = state.showsAll ? [namesOfAll(0), namesOfAll(1)] : episode.names;
  find("pursuer-name").textContent = breakable(names[0]);
  find("evader-name").textContent = breakable(names[1]);
  find("play").setAttribute("aria-label", state.isPlaying ? "Pause" : "Play");
  find("speed").value = state.speed;
  find("episode").value = state.index;
  find("theme").setAttribute("aria-pressed", isDark());
  find("all").setAttribute("aria-pressed", state.showsAll);
  find("stage").classList.toggle("is-all", state.showsAll);
  find("picture").hidden = state.showsAll;
  find("tiles").hidden = !state.showsAll;
  for (const button of find("switches").children) {
    const { name } = button.dataset;
    if (!name) continue; // the switch of everything
    button.setAttribute("aria-pressed", state.shown.has(name));
    button.classList.toggle("is-absent", !isThere(name));
  }
  const facts = [["seed", episode.seed], ["result", episode.result]];
  find("facts").replaceChildren(...entriesOf(facts));
  document.querySelectorAll(".about").forEach((about, side) => {
    about.hidden = !episode.descriptions[side];
    about.firstElementChild.textContent = `${breakable(episode.names[side])}:`;
    about.lastElementChild.textContent = episode.descriptions[side];
  });
  const arena = find("arena");
  arena.setAttribute("aria-label", `${episode.names.join(" against ")}, seen from above`);
  const result = resultText();
  if (find("result").textContent !== result) find("result").textContent = result;
  arrangeTiles();
  markTile();
  if (!state.isPlaying) keepInAddress();
}

/** How the shown episode ended, or how many of all did, once the end is reached. */
function resultText() {
  const { episodes, showsAll, time } = state;
  if (time < (showsAll ? lastStep() : current().steps)) return "";
  if (!showsAll) return `${capitalized(current().result)}.`;
  const caught = episodes.filter((episode) => episode.captured).length;
  return `Caught in ${caught} of ${episodes.length} episodes.`;
}

/** Whether the shown episodes contain anything that an annotation draws. */
function isThere(name) {
  const episodes = state.showsAll ? state.episodes : [current()];
  if (state.showsAll && (name === "names" || name === "score")) return false;
  const needed = [...RANGES, ...SENSES].filter((drawn) => drawn.switch === name);
  const players = episodes.flatMap((episode) => episode.players);
  const isPresent = ({ column }) => players.some(({ columns }) => columns[column]);
  return !needed.length || needed.some(isPresent);
}

/** Advances time and draws what has changed; called before every frame. */
let lastFrame = null;
function onFrame(now) {
  const elapsed = lastFrame === null ? 0 : Math.min(now - lastFrame, 250) / 1000;
  lastFrame = now;
  if (state.isPlaying) {
    state.time += (elapsed * state.speed) / current().dt;
    arePicturesCurrent = false;
    if (state.time >= lastStep()) {
      state.time = lastStep();
      state.isPlaying = false;
      areTextsCurrent = false;
    }
  }
  if (!areTextsCurrent) updateTexts();
  if (!arePicturesCurrent) draw();
  arePicturesCurrent = areTextsCurrent = true;
  requestAnimationFrame(onFrame);
}
