// Saves what is shown as a video, frame by frame: complete even on a slow machine.

const FILM_RATE = 30; // frames a second
const FILM_BITS = 8e6; // a second: thin lines stay sharp
const CODECS = [["vp09.00.41.08", "V_VP9"], ["vp8", "V_VP8"]]; // of the encoder, of WebM

/** Draws the shown episode from its start to its end, and saves that as a video. */
async function saveFilm() {
  const { mode, isPlaying } = app;
  if (app.isFilming || find("deck").hidden) return;
  app.isFilming = true;
  say("Recording the video …");
  if (mode.showsAll) mode.toggleAll();
  const { episode, lastStep } = mode;
  const steps = app.speed / (FILM_RATE * episode.dt); // of the game, in a frame
  const frames = Math.ceil(lastStep / steps) + 1.5 * FILM_RATE; // it rests on the last one
  const canvas = find("arena");
  let film = null;
  try {
    app.isPlaying = false;
    setTime(0);
    updateTexts();
    film = await filmOf(canvas);
    const { width } = canvas;
    for (let frame = 0; frame <= frames; frame++) {
      app.isPlaying = false;
      setTime(frame * steps);
      mode.draw();
      const isOther = mode.episode !== episode || canvas.width !== width;
      if (isOther || find("deck").hidden) return say("The video was stopped.");
      await film.add(frame);
    }
    download(`chase-${episode.seed}.webm`, await film.finish());
    say("Video saved");
  } catch (error) {
    say(`This browser could not make the video: ${error.message}`);
  } finally {
    app.isFilming = false;
    film?.stop();
  }
  app.isPlaying = isPlaying;
  mode.end();
}

/** A film to which a canvas' pictures are added; `finish` returns the video as a Blob. */
async function filmOf(canvas) {
  const [width, height] = [canvas.width, canvas.height].map((length) => 2 * (length >> 1));
  const rest = { width, height, bitrate: FILM_BITS, framerate: FILM_RATE };
  const configs = CODECS.map(([codec]) => ({ codec, ...rest }));
  const answers = await Promise.all(configs.map((one) => VideoEncoder.isConfigSupported(one)));
  const place = answers.findIndex(({ supported }) => supported);
  if (place < 0) throw new Error("it has no encoder for WebM.");
  const visibleRect = { x: 0, y: 0, width, height };
  const [chunks, failures] = [[], []];
  const encoder = new VideoEncoder({
    output: (chunk) => chunks.push(chunk),
    error: (error) => failures.push(error),
  });
  encoder.configure(configs[place]);
  return {
    async add(frame) {
      const timestamp = Math.round((1e6 * frame) / FILM_RATE);
      const picture = new VideoFrame(canvas, { timestamp, visibleRect });
      encoder.encode(picture, { keyFrame: frame % 60 === 0 });
      picture.close();
      do await new Promise((done) => setTimeout(done));
      while (encoder.encodeQueueSize > 2 && !failures.length);
      if (failures.length) throw failures[0];
    },
    stop: () => encoder.state !== "closed" && encoder.close(),
    async finish() {
      await encoder.flush();
      return new Blob(webm(chunks, CODECS[place][1], width, height), { type: "video/webm" });
    },
  };
}

/**
 * A WebM file, in pieces, of an encoder's chunks. The elements have their numbers in the
 * Matroska specification (www.matroska.org/technical/elements.html).
 */
function webm(chunks, codec, width, height) {
  const text = (letters) => new TextEncoder().encode(letters);
  const seconds = chunks.length / FILM_RATE;
  const duration = new DataView(new ArrayBuffer(8));
  duration.setFloat64(0, 1000 * seconds);
  const clusters = [];
  for (const chunk of chunks) {
    const milliseconds = Math.round(chunk.timestamp / 1000);
    const isKey = chunk.type === "key";
    if (isKey) clusters.push({ begin: milliseconds, blocks: [] });
    const { begin, blocks } = clusters.at(-1);
    const block = new Uint8Array(4 + chunk.byteLength); // track 1, time, flags, data
    new DataView(block.buffer).setUint32(0, 0x81000000 + ((milliseconds - begin) << 8));
    block[3] = isKey ? 0x80 : 0;
    chunk.copyTo(block.subarray(4));
    blocks.push(element(0xa3, block));
  }
  const size = [element(0xb0, bytesOf(width)), element(0xba, bytesOf(height))];
  const track = [
    ...[0xd7, 0x73c5, 0x83].map((id) => element(id, bytesOf(1))), // number, unique, a video
    element(0x23e383, bytesOf(Math.round(1e9 / FILM_RATE))),
    element(0x86, text(codec)),
    element(0xe0, size),
  ];
  const information = [
    element(0x2ad7b1, bytesOf(1e6)), // nanoseconds of a unit of time
    element(0x4489, new Uint8Array(duration.buffer)),
    ...[0x4d80, 0x5741].map((id) => element(id, text("steer_env"))), // written by
  ];
  const head = [element(0x4282, text("webm")), element(0x4287, bytesOf(4))]; // version 4
  const segment = [
    element(0x1549a966, information),
    element(0x1654ae6b, element(0xae, track)),
    ...clusters.map(({ begin, blocks }) =>
      element(0x1f43b675, element(0xe7, bytesOf(begin)), blocks),
    ),
  ];
  return [element(0x1a45dfa3, head), element(0x18538067, segment)].flat(Infinity);
}

/** An element of Matroska: its id, its size in eight bytes, and what is in it, in pieces. */
function element(id, ...content) {
  const pieces = content.flat(Infinity);
  const size = new DataView(new ArrayBuffer(8));
  size.setBigUint64(0, 2n ** 56n + BigInt(pieces.reduce((sum, { length }) => sum + length, 0)));
  return [bytesOf(id), new Uint8Array(size.buffer), ...pieces];
}

/** A whole number in as few bytes as it takes, the largest part first. */
function bytesOf(number) {
  const hex = number.toString(16);
  return Uint8Array.from(hex.padStart(2 * Math.ceil(hex.length / 2), "0").match(/../g), (two) =>
    parseInt(two, 16),
  );
}
