// The devices that steer: keys, mouse, touch or a gamepad, as a push in the arena.

const [UP, LEFT, DOWN, RIGHT] = [[0, 1], [-1, 0], [0, -1], [1, 0]];
const ARROWS = { ArrowUp: UP, ArrowLeft: LEFT, ArrowDown: DOWN, ArrowRight: RIGHT };
const DIRECTIONS = { ...ARROWS, w: UP, a: LEFT, s: DOWN, d: RIGHT };
const POINTER_REACH = 0.22; // of the board's side: the distance of a push with full force
const DEAD_ZONE = 0.2; // tilt below which a stick is at rest

/** The devices; the one that was used last steers. */
class Controls {
  constructor() {
    this.release();
  }

  release() {
    this.held = new Map();
    this.tapped = []; // since the last push, however short
    this.pointer = null; // the place of the mouse or a finger, in pixels of the board
    this.device = "keys";
    this.isPressed = false; // the first button of a gamepad
  }

  press(key, isDown) {
    const name = key.length === 1 ? key.toLowerCase() : key;
    const direction = DIRECTIONS[name];
    if (!direction) return false;
    if (isDown && !this.held.has(name)) this.tapped.push(direction);
    if (isDown) this.held.set(name, direction);
    else this.held.delete(name);
    this.device = "keys";
    this.isKeyed = true;
    this.left = this.mouse; // where the mouse is left
    return true;
  }

  /** Steers for a place. After keys a mouse must move 20 pixels: it is easily touched. */
  point(place, isPressed = false) {
    this.mouse = place;
    if (this.held.size) return;
    const { x, y } = (this.left ??= place);
    if (this.isKeyed && !isPressed && Math.hypot(place.x - x, place.y - y) < 20) return;
    this.isKeyed = false;
    this.pointer = place;
    this.device = "pointer";
  }

  /** The push in the arena, [right, up], of at most 1; places are in pixels of the board. */
  push(vehicle, side) {
    const stick = this.stick();
    if (this.device === "stick") return stick;
    if (this.device === "pointer") {
      if (!this.pointer) return [0, 0];
      const [right, up] = [this.pointer.x - vehicle.x, vehicle.y - this.pointer.y];
      const distance = Math.hypot(right, up);
      if (distance < 0.02 * side) return [0, 0];
      const share = 1 / Math.max(distance, POINTER_REACH * side);
      return [right * share, up * share];
    }
    let [right, up] = [0, 0];
    for (const [x, y] of new Set([...this.held.values(), ...this.tapped])) {
      right += x;
      up += y;
    }
    this.tapped = [];
    const length = Math.hypot(right, up) || 1;
    return [right / length, up / length];
  }

  /** The tilt beyond the dead zone of the stick that is tilted most, [right, up]. */
  stick() {
    const tilts = padsOf().map(({ axes: [x, y] }) => [Math.hypot(x, y), x, -y]);
    const [tilt, right, up] = tilts.sort(([one], [other]) => other - one)[0] ?? [0];
    if (!(tilt > DEAD_ZONE)) return [0, 0];
    this.device = "stick";
    const share = Math.min((tilt - DEAD_ZONE) / (1 - DEAD_ZONE), 1) / tilt;
    return [right * share, up * share];
  }

  isButtonPressed() {
    const was = this.isPressed;
    this.isPressed = padsOf().some((pad) => pad.buttons[0]?.pressed);
    return this.isPressed && !was;
  }
}

const padsOf = () => [...(navigator.getGamepads?.() ?? [])].filter(Boolean);

/** A vector of the arena, such as a push, in a vehicle's own frame: forward and left. */
const inFrameOf = ([cos, sin], [right, up]) => [right * cos + up * sin, up * cos - right * sin];
