const NAME_HEIGHT = 15;

// Boxes that are taken on the page, found again through the cells of a grid.
class Taken {
  constructor(cell = 48) {
    this.cell = cell;
    this.cells = new Map();
  }

  // The keys of the cells that a box (left, top, right, bottom) touches.
  *touched([left, top, right, bottom]) {
    for (let x = Math.floor(left / this.cell); x * this.cell <= right; x++)
      for (let y = Math.floor(top / this.cell); y * this.cell <= bottom; y++) yield x * 4194304 + y;
  }

  free(box, owner) {
    for (const key of this.touched(box))
      for (const other of this.cells.get(key) || [])
        if (other.owner !== owner && meet(box, other.box)) return false;
    return true;
  }

  take(box, owner) {
    for (const key of this.touched(box)) {
      if (!this.cells.has(key)) this.cells.set(key, []);
      this.cells.get(key).push({ box, owner });
    }
  }
}

function meet(a, b) {
  return a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
}

function inside(a, b) {
  return a[0] >= b[0] && a[1] >= b[1] && a[2] <= b[2] && a[3] <= b[3];
}

// Right of the point, left, below, above: the corner of a name's box from its point.
function places(width, height, gap) {
  return [[gap, -height / 2], [-gap - width, -height / 2], [-width / 2, gap], [-width / 2, -gap - height]];
}

// Find places for names over no point and no other name. Only distances on the page count, not
// where the page has been dragged to, so names stay where they are while it moves.
function placeNames(xs, ys, items, widths, radius, page = null, blocked = []) {
  const taken = new Taken();
  for (const box of blocked) taken.take(box);
  const placed = new Map();
  for (const i of items) taken.take([xs[i] - radius, ys[i] - radius, xs[i] + radius, ys[i] + radius], i);
  for (const i of items) {
    for (const [dx, dy] of places(widths[i], NAME_HEIGHT, radius + 4)) {
      const box = [xs[i] + dx, ys[i] + dy, xs[i] + dx + widths[i], ys[i] + dy + NAME_HEIGHT];
      if (!taken.free(box, i) || (page && !inside(box, page))) continue;
      taken.take(box, i);
      placed.set(i, [dx, dy]);
      break;
    }
  }
  return placed;
}

// Choose pictures that cover no other picture's middle part.
function placePictures(xs, ys, items, side) {
  const taken = new Taken();
  const half = side * 0.3;
  return items.filter((i) => {
    const box = [xs[i] - half, ys[i] - half, xs[i] + half, ys[i] + half];
    if (!taken.free(box, i)) return false;
    taken.take(box, i);
    return true;
  });
}
