/** Places for names on the page: over no point and over no other name. */

export type Box = [left: number, top: number, right: number, bottom: number];
export type Offset = [dx: number, dy: number];
export const NAME_HEIGHT = 15;
const CELL = 48;

/** Boxes that are taken, found again through the cells of a grid. */
class Taken {
  private readonly cells = new Map<number, { box: Box; owner: number }[]>();

  free(box: Box, owner: number): boolean {
    for (const key of touched(box))
      for (const other of this.cells.get(key) ?? []) if (other.owner !== owner && meet(box, other.box)) return false;
    return true;
  }

  take(box: Box, owner: number): void {
    for (const key of touched(box)) {
      const cell = this.cells.get(key);
      if (cell) cell.push({ box, owner });
      else this.cells.set(key, [{ box, owner }]);
    }
  }
}

function* touched([left, top, right, bottom]: Box): Generator<number> {
  for (let x = Math.floor(left / CELL); x * CELL <= right; x++)
    for (let y = Math.floor(top / CELL); y * CELL <= bottom; y++) yield x * 4194304 + y;
}

function meet(a: Box, b: Box): boolean {
  return a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
}

function inside(a: Box, b: Box): boolean {
  return a[0] >= b[0] && a[1] >= b[1] && a[2] <= b[2] && a[3] <= b[3];
}

/** Right of the point, left, below, above: the corner of a name's box from its point. */
function places(width: number, gap: number): Offset[] {
  const half = NAME_HEIGHT / 2;
  return [[gap, -half], [-gap - width, -half], [-width / 2, gap], [-width / 2, -gap - NAME_HEIGHT]];
}

/**
 * Place the names of items, those first that come first. Only distances on the page count, not where
 * the page has been dragged to, so names stay where they are while it moves.
 */
export function placeNames(
  at: (item: number) => [number, number],
  items: number[],
  widths: number[],
  radius: number,
  page: Box | null = null,
  blocked: Box[] = [],
): Map<number, Offset> {
  const taken = new Taken();
  const placed = new Map<number, Offset>();
  for (const box of blocked) taken.take(box, -1);
  for (const i of items) {
    const [x, y] = at(i);
    taken.take([x - radius, y - radius, x + radius, y + radius], i);
  }
  for (const i of items) {
    const [x, y] = at(i);
    for (const offset of places(widths[i]!, radius + 4)) {
      const [left, top] = [x + offset[0], y + offset[1]];
      const box: Box = [left, top, left + widths[i]!, top + NAME_HEIGHT];
      if (!taken.free(box, i) || (page && !inside(box, page))) continue;
      taken.take(box, i);
      placed.set(i, offset);
      break;
    }
  }
  return placed;
}
