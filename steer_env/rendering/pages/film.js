// Saves what is shown as a video, with the browser's recorder, in real time.

const FILM_RATE = 30; // frames a second
const FILM_BITS = 8e6; // a second: thin lines stay sharp
const FILM_REST = 1.5; // seconds of a video's last picture

/** Draws the shown episode from its start to its end, and saves that as a video. */
async function saveFilm() {
  const { mode, isPlaying } = app;
  if (app.isFilming || find("deck").hidden) return;
  app.isFilming = true;
  say("Recording the video …");
  mode.prepareFilm?.();
  const { episode, lastStep } = mode;
  const steps = app.speed / (FILM_RATE * episode.dt); // of the game, in a frame
  const frames = Math.ceil(lastStep / steps) + FILM_REST * FILM_RATE;
  const canvas = find("arena");
  const stream = canvas.captureStream(0);
  const [track] = stream.getTracks();
  const pieces = [];
  try {
    const recorder = new MediaRecorder(stream, { videoBitsPerSecond: FILM_BITS });
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    const stopped = new Promise((done) => (recorder.onstop = done));
    app.isPlaying = false;
    setTime(0);
    updateTexts();
    mode.draw();
    const { width } = canvas;
    recorder.start();
    for (let frame = 0; frame <= frames; frame++) {
      app.isPlaying = false;
      setTime(frame * steps);
      mode.draw();
      const isOther = mode.episode !== episode || canvas.width !== width;
      if (isOther || find("deck").hidden) return say("The video was stopped.");
      (track.requestFrame ? track : stream).requestFrame();
      await new Promise((done) => setTimeout(done, 1000 / FILM_RATE));
    }
    recorder.stop();
    await stopped;
    const type = recorder.mimeType;
    const name = `chase-${episode.seed}.${type.includes("mp4") ? "mp4" : "webm"}`;
    download(name, new Blob(pieces, { type }));
    say("Video saved");
  } catch (error) {
    say(`This browser could not make the video: ${error.message}`);
  } finally {
    app.isFilming = false;
    track.stop(); // and so the recorder
  }
  app.isPlaying = isPlaying;
  mode.end();
}
