// Long work in small pieces between the frames, so that the page goes on moving.

const TIME_FOR_TASKS = 11; // milliseconds of a frame's 16.7

/** Runs generators, each until it is done or another of the same name takes its place. */
class Tasks {
  constructor() {
    this.running = new Map();
  }

  /** Begins a task, instead of the one of this name. */
  begin(name, generator) {
    this.end(name);
    this.running.set(name, generator);
  }

  end(name) {
    this.running.get(name)?.return(); // its `finally` frees what it has
    this.running.delete(name);
  }

  has(name) {
    return this.running.has(name);
  }

  /** Goes on with all tasks for the time that a frame leaves; returns whether any ran. */
  advance(time = TIME_FOR_TASKS) {
    if (!this.running.size) return false;
    const until = performance.now() + time;
    while (this.running.size && performance.now() < until) {
      for (const [name, generator] of this.running) {
        this.running.delete(name); // for good, if it throws
        if (!generator.next().done) this.running.set(name, generator);
      }
    }
    return true;
  }
}
