// What the mouse, fingers and keys do to the map.
const STEP = 60;
const KEYS = {
  ArrowLeft: (map) => map.move(STEP, 0),
  ArrowRight: (map) => map.move(-STEP, 0),
  ArrowUp: (map) => map.move(0, STEP),
  ArrowDown: (map) => map.move(0, -STEP),
  "+": (map) => map.zoom(1.4),
  "=": (map) => map.zoom(1.4),
  "-": (map) => map.zoom(1 / 1.4),
  0: (map) => map.reset(),
  Escape: (map) => map.pin(null),
};

class Pointers {
  constructor(map, canvas) {
    Object.assign(this, { map, canvas, down: new Map(), travelled: 0 });
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.lift(event));
    canvas.addEventListener("pointercancel", (event) => this.lift(event, true));
    canvas.addEventListener("pointerleave", () => map.hover(null));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  place(event) {
    const frame = this.canvas.getBoundingClientRect();
    return [event.clientX - frame.left, event.clientY - frame.top];
  }

  press(event) {
    this.canvas.setPointerCapture(event.pointerId);
    if (!this.down.size) this.travelled = 0;
    this.down.set(event.pointerId, this.place(event));
  }

  move(event) {
    const at = this.place(event), before = this.down.get(event.pointerId);
    if (!before) return this.map.hover(this.map.nearest(...at, 16));
    const old = this.grip();
    this.down.set(event.pointerId, at);
    const now = this.grip();
    this.travelled += Math.hypot(at[0] - before[0], at[1] - before[1]);
    if (this.travelled < 6) return;
    this.canvas.classList.add("dragging");
    this.map.move(now.x - old.x, now.y - old.y);
    if (old.spread > 0) this.map.zoom(now.spread / old.spread, [now.x, now.y]);
  }

  // Middle of the fingers, and how far apart two of them are.
  grip() {
    const all = [...this.down.values()], n = all.length;
    const spread = n === 2 ? Math.hypot(all[0][0] - all[1][0], all[0][1] - all[1][1]) : 0;
    const mean = (c) => all.reduce((sum, at) => sum + at[c], 0) / n;
    return { x: mean(0), y: mean(1), spread };
  }

  lift(event, cancelled = false) {
    if (!this.down.delete(event.pointerId)) return;
    this.canvas.classList.toggle("dragging", this.down.size > 0 && this.travelled >= 6);
    if (cancelled || this.down.size || this.travelled >= 6) return;
    this.map.pin(this.map.nearest(...this.place(event), event.pointerType === "mouse" ? 16 : 28));
  }

  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 24 : 1;
    this.map.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0016)), this.place(event));
  }
}

function listenToKeys(map, canvas) {
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
    event.preventDefault();
    KEYS[event.key](map);
  });
  document.addEventListener("keydown", (event) => event.key === "Escape" && map.pin(null));
}

// Enter walks through the items found.
function listenToSearch(map, form, field) {
  let next = 0;
  field.addEventListener("input", () => {
    next = 0;
    map.search(field.value);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (map.found && map.found.length) map.visit(map.found[next++ % map.found.length]);
  });
}
