// The map: its state, and one frame drawn for any number of changes.
class SimilarityMap {
  constructor(contents) {
    const part = (id) => document.getElementById(id);
    this.space = new Space(contents);
    this.parts = { stage: part("stage"), card: part("card"), canvas: part("map"), found: part("found") };
    this.painter = new Painter(this.space, part("map"), part("marks"));
    this.painter.onload = () => this.redraw();
    this.view = new View();
    Object.assign(this, { hidden: new Set(), found: null, hovered: null, pinned: null, axes: [0, 1], stale: true });
    this.order = spreadOut(this.space.n);
    this.connect(part);
    this.turn(0, 0);
    new ResizeObserver(() => this.resize()).observe(this.parts.stage);
  }

  connect(part) {
    drawLegend(this, part("legend"));
    drawAxes(this, part("axes"));
    new Pointers(this, this.parts.canvas);
    listenToKeys(this, this.parts.canvas);
    listenToSearch(this, part("tools"), part("search"));
    part("zoom-in").onclick = () => this.zoom(1.6);
    part("zoom-out").onclick = () => this.zoom(1 / 1.6);
    part("reset").onclick = () => this.reset();
    part("list").addEventListener("toggle", () => drawTable(this, part("table")), { once: true });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.painter.dress();
      this.carded = null;
      drawLegend(this, part("legend"));
      this.redraw();
    });
    this.parts.canvas.setAttribute("aria-label",
      `${this.space.contents.title}: a map of ${this.space.n} items, near each other means similar. ` +
      "Arrow keys move it, plus and minus zoom, 0 shows everything; the table below lists the items.");
  }

  // Choose what is drawn along x (0) or y (1); one dimension has its swarm for y.
  turn(which, axis) {
    this.axes[which] = axis;
    const { axes, swarm } = this.space.contents;
    this.xs = this.space.along(axes[this.axes[0]].weights);
    this.ys = swarm ? Float64Array.from(swarm) : this.space.along(axes[this.axes[1]].weights);
    this.gap = typicalGap(this.xs, this.ys, this.order);
    this.view.frame(this.xs, this.ys);
    this.resize();
  }

  resize() {
    const { clientWidth, clientHeight } = this.parts.stage;
    const margin = this.space.contents.images ? 52 : Math.min(72, clientWidth / 8);
    this.view.resize(clientWidth, clientHeight, margin);
    this.painter.resize(clientWidth, clientHeight);
    this.redraw();
  }

  move(dx, dy) { this.view.move(dx, dy); this.redraw(false); }

  // Names follow at once where they are few, and at rest where they are many.
  zoom(factor, at = [this.view.width / 2, this.view.height / 2]) {
    this.view.zoomAt(...at, factor);
    this.redraw(this.space.n <= 2000);
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.redraw(), 120);
  }

  reset() { this.view.reset(); this.redraw(); }

  toggle(c) {
    if (!this.hidden.delete(c)) this.hidden.add(c);
    if (this.pinned !== null && !this.visible(this.pinned)) this.pinned = null;
    this.hovered = null;
    this.redraw();
  }

  search(text) {
    const wanted = text.trim().toLocaleLowerCase();
    const hit = (i) => this.space.contents.names[i].toLocaleLowerCase().includes(wanted);
    this.found = wanted ? [...Array(this.space.n).keys()].filter(hit) : null;
    this.hits = new Set(this.found);
    this.parts.found.textContent = wanted ? `${this.found.length} of ${this.space.n}` : "";
    this.redraw();
  }

  hover(item) {
    if (item === this.hovered) return;
    this.hovered = item;
    this.parts.canvas.classList.toggle("over", item !== null);
    this.redraw(false);
  }

  pin(item) {
    Object.assign(this, { pinned: item, hovered: null });
    this.redraw(false);
  }

  // Pin an item, and bring it into sight where it is out of it.
  visit(item) {
    const own = this.space.contents.classOf ? this.space.contents.classOf[item] : null;
    if (this.hidden.delete(own)) drawLegend(this, document.getElementById("legend"));
    const [x, y] = this.at(item), { width, height } = this.view;
    if (x < 24 || y < 24 || x > width - 24 || y > height - 24) this.view.centre(this.xs[item], this.ys[item]);
    this.parts.stage.scrollIntoView({ block: "nearest" });
    this.pin(item);
    this.redraw();
  }

  at(item) { return this.view.toPage(this.xs[item], this.ys[item]); }
  visible(item) { return !this.space.contents.classOf || !this.hidden.has(this.space.contents.classOf[item]); }
  faint(item) { return this.found !== null && !this.hits.has(item); }

  // The visible item nearest to a pixel, or null beyond the reach.
  nearest(x, y, reach) {
    let best = null, least = Math.max(reach, this.side ? this.side / 2 : 0);
    for (const item of this.shown) {
      const [px, py] = this.at(item), distance = Math.hypot(px - x, py - y);
      if (distance < least) [best, least] = [item, distance];
    }
    return best;
  }

  // Choose afresh who shows a name or a picture: after anything but a drag.
  arrange() {
    const { scale, zoom } = this.view;
    this.painter.grow(zoom);
    const xs = this.xs.map((x) => x * scale), ys = this.ys.map((y) => -y * scale);
    const all = this.order.filter((item) => this.visible(item));
    const clear = all.filter((item) => !this.faint(item));
    const { pictures, widths, radius } = this.painter;
    this.shown = all;
    this.side = pictures.length ? Math.min(Math.max((this.space.k > 1 ? 1.3 : 0.95) * this.gap * scale, 30), 96) : 0;
    this.pictures = placePictures(xs, ys, clear.filter((i) => pictures[i]), this.side).reverse();
    this.names = pictures.length ? new Map() : placeNames(xs, ys, clear, widths, radius, this.view.page());
    this.stale = false;
  }

  redraw(stale = true) {
    this.stale = this.stale || stale;
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  paint() {
    if (this.stale) this.arrange();
    const item = this.pinned ?? this.hovered;
    const near = item === null ? [] : this.space.nearest(item, 5);
    this.painter.draw(this);
    this.parts.canvas.classList.toggle("behind", this.pinned !== null);
    const { card, stage } = this.parts;
    this.fillCard(card, item, near);
    if (item !== null) placeCard(card, stage, this.at(item), near.map((other) => this.at(other.item)), 28 + 0.6 * this.side);
    this.painter.mark(this, item, near, boxOf(card, stage));
  }

  // Fill the card only when it says something else: a button that is replaced while the mouse is
  // down on it never sees its click.
  fillCard(card, item, near) {
    const says = `${item} ${this.pinned !== null}`;
    if (says === this.carded) return;
    this.carded = says;
    drawCard(this, card, item, near, this.pinned !== null);
  }
}

// The median distance to the nearest neighbour on the page, over a few of the items.
function typicalGap(xs, ys, items) {
  const gaps = items.slice(0, 200).map((i) => {
    let least = Infinity;
    for (let j = 0; j < xs.length; j++) if (j !== i) least = Math.min(least, Math.hypot(xs[i] - xs[j], ys[i] - ys[j]));
    return least;
  });
  return gaps.sort((a, b) => a - b)[gaps.length >> 1];
}

// A fixed order in which any first part is spread over all items: multiples of the golden ratio.
function spreadOut(n) {
  const turn = (i) => (i * 0.6180339887498949) % 1;
  return Array.from({ length: n }, (_, i) => i).sort((a, b) => turn(a) - turn(b));
}

// For tests, and for the reader's console.
globalThis.similarityMap = new SimilarityMap(JSON.parse(document.getElementById("contents").textContent));
