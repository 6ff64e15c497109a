// How a person steers: keys, the mouse, touch or a gamepad, as a push in the arena.

const [UP, LEFT, DOWN, RIGHT] = [[0, 1], [-1, 0], [0, -1], [1, 0]];
const ARROWS = { ArrowUp: UP, ArrowLeft: LEFT, ArrowDown: DOWN, ArrowRight: RIGHT };
const DIRECTIONS = { ...ARROWS, w: UP, a: LEFT, s: DOWN, d: RIGHT };
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
    this.isPressed = false; // the first button of a gamepad
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

  /** The tilt beyond the dead zone of the stick that is tilted most, [right, up]. */
  stick() {
    const tilts = padsOf().map(({ axes: [right, down] }) => [Math.hypot(right, down), right, -down]);
    const [tilt, right, up] = tilts.sort(([one], [other]) => other - one)[0] ?? [0];
    if (!(tilt > DEAD_ZONE)) return [0, 0];
    this.isByStick = true;
    const share = Math.min((tilt - DEAD_ZONE) / (1 - DEAD_ZONE), 1) / tilt;
    return [right * share, up * share];
  }

  /** Whether the first button of a gamepad has just been pressed. */
  isButtonPressed() {
    const was = this.isPressed;
    this.isPressed = padsOf().some((pad) => pad.buttons[0]?.pressed);
    return this.isPressed && !was;
  }
}

const padsOf = () => [...(navigator.getGamepads?.() ?? [])].filter(Boolean);

/** A push in the arena as an action: forward and left in the vehicle's own frame. */
function actionOfPush([right, up], [cos, sin]) {
  return [right * cos + up * sin, up * cos - right * sin];
}
