// How a person steers: keys, the mouse, touch or a gamepad, as a push in the arena.

const DIRECTIONS = {
  ArrowUp: [0, 1],
  w: [0, 1],
  ArrowLeft: [-1, 0],
  a: [-1, 0],
  ArrowDown: [0, -1],
  s: [0, -1],
  ArrowRight: [1, 0],
  d: [1, 0],
};
const POINTER_REACH = 0.22; // of the board's side: the distance of a push with full force
const POINTER_REST = 0.02; // of the board's side: nearer than this, the pointer does not push
const DEAD_ZONE = 0.2; // tilt below which a stick is at rest

/** The devices; the one that was used last steers. */
class Controls {
  constructor() {
    this.release();
  }

  /** Lets everything go, as when the window loses the focus. */
  release() {
    this.held = new Map();
    this.tapped = []; // since the last push, however short
    this.pointer = null; // the place of a held pointer, in pixels of the board
    this.isByPointer = this.isByStick = false;
    this.tilts = new Map(); // of gamepads, so that one that drifts does not steer
    this.pressed = new Map(); // whether the first button of each is down
  }

  /** Handles a key; returns whether it steers. */
  press(key, isDown) {
    const name = key.length === 1 ? key.toLowerCase() : key;
    const direction = DIRECTIONS[name];
    if (!direction) return false;
    if (isDown && !this.held.has(name)) this.tapped.push(direction);
    if (isDown) this.held.set(name, direction);
    else this.held.delete(name);
    this.isByPointer = this.isByStick = false;
    return true;
  }

  /** Handles a pointer on the board: its place, or null once it is up. */
  point(place) {
    this.pointer = place;
    if (place) [this.isByPointer, this.isByStick] = [true, false];
  }

  /**
   * The push in the arena, [right, up], with a length of at most 1.
   *
   * `vehicle` is the place of the person's vehicle in pixels of the board, whose side is `side`.
   */
  push(vehicle, side) {
    const stick = this.stick();
    if (this.isByStick) return stick;
    if (this.isByPointer) return this.pushByPointer(vehicle, side);
    const taps = this.tapped.filter((tap) => ![...this.held.values()].includes(tap));
    this.tapped = [];
    const wanted = new Set([...this.held.values(), ...taps].map(String));
    let [right, up] = [0, 0];
    for (const direction of wanted) {
      const [x, y] = direction.split(",").map(Number);
      right += x;
      up += y;
    }
    const length = Math.hypot(right, up);
    return length ? [right / length, up / length] : [0, 0];
  }

  pushByPointer(vehicle, side) {
    if (!this.pointer) return [0, 0];
    const [right, up] = [this.pointer.x - vehicle.x, vehicle.y - this.pointer.y];
    const distance = Math.hypot(right, up);
    if (distance < POINTER_REST * side) return [0, 0];
    const share = 1 / Math.max(distance, POINTER_REACH * side);
    return [right * share, up * share];
  }

  /** The tilt beyond the dead zone of the stick that moved last, [right, up]. */
  stick() {
    let found = [0, 0];
    for (const pad of padsOf()) {
      const [right, down] = pad.axes;
      const tilt = Math.hypot(right, down);
      if (tilt > DEAD_ZONE && !(this.tilts.get(pad.index) > DEAD_ZONE)) this.isByStick = true;
      this.tilts.set(pad.index, tilt);
      if (!(tilt > DEAD_ZONE)) continue;
      const strength = Math.min((tilt - DEAD_ZONE) / (1 - DEAD_ZONE), 1);
      found = [(right / tilt) * strength, (-down / tilt) * strength];
    }
    return found;
  }

  /** Whether the first button of a gamepad has just been pressed. */
  isButtonPressed() {
    return padsOf().some((pad) => {
      const [was, is] = [this.pressed.get(pad.index), pad.buttons[0]?.pressed];
      this.pressed.set(pad.index, is);
      return is && !was;
    });
  }
}

const padsOf = () => [...(navigator.getGamepads?.() ?? [])].filter(Boolean);

/** A push in the arena as an action: forward and left in the vehicle's own frame. */
function actionOfPush([right, up], [cos, sin]) {
  return [right * cos + up * sin, up * cos - right * sin];
}
