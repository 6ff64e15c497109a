// The devices that steer: keys, mouse or touch, as a push in the arena.

const [UP, LEFT, DOWN, RIGHT] = [[0, 1], [-1, 0], [0, -1], [1, 0]];
const ARROWS = { ArrowUp: UP, ArrowLeft: LEFT, ArrowDown: DOWN, ArrowRight: RIGHT };
const DIRECTIONS = { ...ARROWS, w: UP, a: LEFT, s: DOWN, d: RIGHT };
const POINTER_REACH = 0.22; // of the board's side: the distance of a push with full force

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
}

/** A vector of the arena, such as a push, in a vehicle's own frame: forward and left. */
const inFrameOf = ([cos, sin], [right, up]) => [right * cos + up * sin, up * cos - right * sin];
