// Which part of the plane the page shows: one scale for both axes, y upwards.
class View {
  constructor(width = 1, height = 1) {
    Object.assign(this, { width, height, zoom: 1, fit: 1, x: 0, y: 0, middle: [0, 0], reach: [1, 1] });
  }

  get scale() { return this.fit * this.zoom; }

  resize(width, height, margin) {
    Object.assign(this, { width, height });
    const room = (side) => Math.max(side - 2 * margin, side / 4);
    this.fit = Math.min(room(width) / this.reach[0], room(height) / this.reach[1]);
  }

  // Frame new coordinates.
  frame(xs, ys) {
    const [left, right] = span(xs), [low, high] = span(ys);
    const least = Math.max(right - left, high - low) * 1e-3 || 1;
    this.middle = [(left + right) / 2, (low + high) / 2];
    this.reach = [Math.max(right - left, least), Math.max(high - low, least)];
    this.reset();
  }

  reset() {
    this.zoom = 1;
    [this.x, this.y] = this.middle;
  }

  toPage(x, y) {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale];
  }

  // Say whether a pixel is on the page or close to it.
  near([x, y], edge = 60) {
    return x > -edge && y > -edge && x < this.width + edge && y < this.height + edge;
  }

  // Drag by pixels, never further than the last item.
  move(dx, dy) {
    this.x = within(this.x - dx / this.scale, this.middle[0], this.reach[0] / 2);
    this.y = within(this.y + dy / this.scale, this.middle[1], this.reach[1] / 2);
  }

  // Zoom by a factor around a pixel, which keeps its place in the plane.
  zoomAt(px, py, factor) {
    const before = this.scale;
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.5), 400);
    const kept = this.scale / before - 1;
    this.move(-(px - this.width / 2) * kept, -(py - this.height / 2) * kept);
  }

  // The page around all items, in pixels from the origin of the plane; null where it is zoomed in.
  page() {
    if (this.zoom > 1) return null;
    const x = this.middle[0] * this.scale, y = -this.middle[1] * this.scale;
    return [x - this.width / 2 + 4, y - this.height / 2 + 4, x + this.width / 2 - 4, y + this.height / 2 - 4];
  }

  centre(x, y) {
    [this.x, this.y] = [x, y];
  }
}

function span(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) { low = Math.min(low, v); high = Math.max(high, v); }
  return [low, high];
}

function within(value, middle, reach) {
  return Math.min(Math.max(value, middle - reach), middle + reach);
}
