// Starts the page, once all of its program is there.

function buildSwitches() {
  for (const [name, meaning] of Object.entries(app.meanings)) {
    const key = keyOf(name);
    const title = capitalized(meaning) + (key && ` (${key})`);
    const properties = { type: "button", title, onclick: () => toggleShown(name) };
    const kbd = key ? [create("kbd", {}, key)] : [];
    const button = create("button", properties, labelOf(name), ...kbd);
    button.dataset.name = name;
    find("switches").append(button);
  }
}

/** The key of an annotation; "" for none. */
const keyOf = (name) => app.letters?.[name].toUpperCase() ?? "";

function buildHelp() {
  const keys = [...app.mode.keys, ...KEYS].map(([, label, meaning]) => [
    create("kbd", {}, label),
    meaning,
  ]);
  const annotations = Object.entries(app.meanings).map(([name, meaning]) => {
    const kbd = keyOf(name) ? [create("kbd", {}, keyOf(name)), " "] : [];
    return [create("span", {}, ...kbd, labelOf(name)), meaning];
  });
  find("keys").append(...entriesOf(keys));
  find("annotations").append(...entriesOf(annotations));
}

async function start() {
  if (typeof DecompressionStream === "undefined") {
    throw new Error(
      "This browser is too old: it needs Chrome 111, Firefox 113, Safari 16.4, or later.",
    );
  }
  const { meanings, letters, shown, ...rest } = await unpacked("data").json();
  Object.assign(app, { meanings, letters, shown: new Set(shown) });
  readColors();
  await app.begin(rest);
  find("speed").append(...SPEEDS.map((speed) => new Option(`${speed}×`, speed)));
  buildSwitches();
  buildHelp();
  find("main").hidden = false;
  listen();
  app.ready = performance.now();
  requestAnimationFrame(onFrame);
}


start().catch(fail);
