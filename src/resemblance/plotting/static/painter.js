// Draws the map on one canvas, and what the reader points at on another above it.
const NAME_FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

class Painter {
  constructor(space, map, marks) {
    this.space = space;
    this.layers = [map, marks];
    [this.ground, this.above] = this.layers.map((layer) => layer.getContext("2d"));
    this.ground.font = NAME_FONT;
    this.names = space.contents.names.map((name) => shorten(name, 32));
    this.widths = this.names.map((name) => this.ground.measureText(name).width);
    this.pictures = (space.contents.images || []).map((source) => source && loaded(source, () => this.onload()));
    this.grow(1);
    this.onload = () => {};
    this.dress();
  }

  // Read the colours of the page's theme.
  dress() {
    const page = getComputedStyle(document.documentElement);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const read = (name) => page.getPropertyValue(name).trim();
    this.theme = { paper: read("--paper"), ink: read("--ink"), muted: read("--muted") };
    this.colours = this.space.contents.styles[dark ? "dark" : "light"];
    this.stamps = new Map();
  }

  resize(width, height) {
    this.density = devicePixelRatio || 1;
    for (const layer of this.layers) {
      layer.width = Math.round(width * this.density);
      layer.height = Math.round(height * this.density);
    }
    this.stamps.clear();
  }

  // Points are smaller the more there are, and grow a little as the reader comes nearer.
  grow(zoom) {
    const wide = Math.min(Math.max(6.6 - 1.15 * Math.log10(this.space.n), 2), 5) * Math.max(zoom, 1) ** 0.3;
    const radius = Math.round(2 * Math.min(wide, 6)) / 2;
    if (radius !== this.radius) this.stamps = new Map();
    this.radius = radius;
  }

  style(item) {
    const own = this.space.classOf(item);
    return own ? own.style : 0;
  }

  // One drawn point, kept and stamped wherever it is needed.
  stamp(style, hollow) {
    const key = style * 2 + hollow;
    if (!this.stamps.has(key)) this.stamps.set(key, this.cut(style, hollow));
    return this.stamps.get(key);
  }

  cut(style, hollow) {
    const r = this.radius, stamp = document.createElement("canvas");
    stamp.width = stamp.height = Math.ceil((2 * r + 4) * this.density);
    const pen = stamp.getContext("2d");
    pen.setTransform(this.density, 0, 0, this.density, stamp.width / 2, stamp.height / 2);
    pen.fillStyle = hollow ? this.theme.paper : this.colours[style];
    pen.strokeStyle = hollow ? this.colours[style] : this.theme.paper;
    pen.lineWidth = hollow ? 1.6 : 0.16 * r;
    pen.beginPath();
    if (this.space.contents.styles.shape[style] === "square") pen.rect(-0.9 * r, -0.9 * r, 1.8 * r, 1.8 * r);
    else pen.arc(0, 0, r, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
    return stamp;
  }

  begin(pen) {
    pen.setTransform(this.density, 0, 0, this.density, 0, 0);
    pen.clearRect(0, 0, pen.canvas.width, pen.canvas.height);
    pen.font = NAME_FONT;
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
  }

  // The whole map: pictures, points, then names; items that a search left out are faint.
  draw(scene) {
    const pen = this.ground;
    this.begin(pen);
    const pictured = new Set(scene.pictures);
    for (const i of [...scene.pictures, ...scene.shown.filter((i) => !pictured.has(i))]) {
      const at = scene.at(i);
      if (!scene.view.near(at)) continue;
      pen.globalAlpha = scene.faint(i) ? 0.13 : 1;
      if (pictured.has(i)) this.picture(pen, i, at, scene.side);
      else this.point(pen, i, at);
    }
    pen.globalAlpha = 1;
    for (const [i, offset] of scene.names) this.name(pen, i, scene.at(i), offset);
  }

  // Where there are thousands, points are so small that a plain square does, many times faster.
  point(pen, item, [x, y]) {
    if (this.radius < 2.5 && !this.space.flagged.has(item)) {
      pen.fillStyle = this.colours[this.style(item)];
      pen.fillRect(x - this.radius, y - this.radius, 2 * this.radius, 2 * this.radius);
      return;
    }
    const stamp = this.stamp(this.style(item), this.space.flagged.has(item));
    const side = stamp.width / this.density;
    pen.drawImage(stamp, x - side / 2, y - side / 2, side, side);
  }

  picture(pen, item, [x, y], side) {
    const image = this.pictures[item];
    if (!image || !image.complete || !image.naturalWidth) return;
    const shrink = side / Math.max(image.naturalWidth, image.naturalHeight);
    const width = image.naturalWidth * shrink, height = image.naturalHeight * shrink;
    pen.fillStyle = "#fff";
    pen.strokeStyle = this.space.contents.classes ? this.colours[this.style(item)] : this.theme.muted;
    pen.lineWidth = this.space.contents.classes ? 2 : 1;
    pen.setLineDash(this.space.flagged.has(item) ? [3, 3] : []);
    pen.fillRect(x - width / 2 - 1, y - height / 2 - 1, width + 2, height + 2);
    pen.drawImage(image, x - width / 2, y - height / 2, width, height);
    pen.strokeRect(x - width / 2 - 1, y - height / 2 - 1, width + 2, height + 2);
    pen.setLineDash([]);
  }

  name(pen, item, at, offset) {
    const text = this.names[item], x = at[0] + offset[0], y = at[1] + offset[1] + NAME_HEIGHT / 2;
    pen.lineWidth = 3.5;
    pen.strokeStyle = this.theme.paper;
    pen.fillStyle = this.theme.ink;
    pen.strokeText(text, x, y);
    pen.fillText(text, x, y);
  }

  // The item pointed at: lines to its neighbours, a ring, their pictures or names.
  mark(scene, item, neighbours, card) {
    const pen = this.above;
    this.begin(pen);
    if (item === null) return;
    const seen = neighbours.filter((other) => scene.visible(other.item));
    pen.strokeStyle = this.theme.ink;
    pen.lineWidth = 1;
    pen.globalAlpha = 0.5;
    for (const other of seen) line(pen, scene.at(item), scene.at(other.item));
    pen.globalAlpha = 1;
    for (const other of [...seen].reverse()) this.lift(pen, other.item, scene.at(other.item), scene.side);
    this.lift(pen, item, scene.at(item), scene.side * 1.3, 2);
    if (!this.pictures.length) this.nameMarked(pen, scene, [item, ...seen.map((other) => other.item)], card);
  }

  lift(pen, item, at, side, width = 1.2) {
    if (this.pictures[item]) return this.picture(pen, item, at, side);
    this.point(pen, item, at);
    pen.strokeStyle = this.theme.ink;
    pen.lineWidth = width;
    pen.beginPath();
    pen.arc(...at, this.radius + 1 + width, 0, 2 * Math.PI);
    pen.stroke();
  }

  // Their names, beside each other and beside the card.
  nameMarked(pen, scene, items, card) {
    const xs = [], ys = [];
    for (const i of items) [xs[i], ys[i]] = scene.at(i);
    const placed = placeNames(xs, ys, items, this.widths, this.radius, null, [card]);
    for (const [i, offset] of placed) this.name(pen, i, [xs[i], ys[i]], offset);
  }
}

function line(pen, from, to) {
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...to);
  pen.stroke();
}

function loaded(source, then) {
  const image = new Image();
  image.onload = then;
  image.src = source;
  return image;
}

function shorten(name, letters) {
  const text = name.replace(/\s+/g, " ");
  return text.length > letters ? text.slice(0, letters - 1) + "…" : text;
}
