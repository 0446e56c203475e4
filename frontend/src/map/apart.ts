/**
 * Boxes on the page, such as names and pictures, moved apart until none hides another.
 *
 * One box after the other takes the first free place on rings around its point. A place whose line
 * would run over another box is taken only where there is none within a detour.
 */
import type { Box } from "./names";

type Place = [x: number, y: number];

export interface Ask {
  at: Place; // the point
  size: Place; // of the box: width, height
  first: Place[]; // middles of the box to try before all others, from the point
  gap: number; // that the box keeps from its point on the rings; 0 where it may cover it
}

const STEP = 6; // pixels between two rings
const DETOUR = 36;
const WAYS = 24;
const CELL = 48;

/** The middle of each box from its point, or null where none is free within the reach. */
export function moveApart(asks: Ask[], frame: Box | null, reach: number, taken = new Taken(), all = false): (Place | null)[] {
  const found: (Place | null)[] = [];
  const lines: Box[] = [];
  for (const [own, ask] of asks.entries()) {
    const middle = placeOf(ask, own, frame, reach, taken, lines);
    found.push(middle);
    if (!middle && all) break;
    if (!middle) continue;
    taken.take(boxAt(ask, middle), -2);
    if (!ask.first.includes(middle)) lines.push(lineOf(ask, middle));
  }
  return found;
}

function placeOf(ask: Ask, own: number, frame: Box | null, reach: number, taken: Taken, lines: Box[]): Place | null {
  const free = (middle: Place) => {
    const box = boxAt(ask, middle);
    return (!frame || inside(box, frame)) && taken.free(box, own);
  };
  const unruled = (middle: Place) => !lines.some((line) => crosses(line, boxAt(ask, middle)));
  const near = ask.first.filter(free);
  const best = near.find(unruled);
  if (best) return best;
  let second: Place | null = near[0] ?? null;
  let last = second ? DETOUR : reach;
  for (let ring = STEP; ring <= last; ring += STEP)
    for (const middle of ringOf(ask, ring)) {
      if (!free(middle)) continue;
      if (unruled(middle) && !taken.crossed(lineOf(ask, middle), own)) return middle;
      if (!second) [second, last] = [middle, Math.min(reach, ring + DETOUR)];
    }
  return second;
}

/** Middles of a box around its point: on a circle, further out by as much as the box reaches that way. */
function ringOf({ size, gap }: Ask, ring: number): Place[] {
  return Array.from({ length: WAYS }, (_, way) => {
    const turn = (2 * Math.PI * way) / WAYS;
    const [x, y] = [Math.cos(turn), Math.sin(turn)];
    const out = (side: number, along: number) => (gap ? (Math.max(-1, Math.min(1, Math.SQRT2 * along)) * side) / 2 : 0);
    return [(gap + ring) * x + out(size[0], x), (gap + ring) * y + out(size[1], y)];
  });
}

function boxAt({ at, size }: Ask, middle: Place): Box {
  const [x, y] = [at[0] + middle[0], at[1] + middle[1]];
  return [x - size[0] / 2, y - size[1] / 2, x + size[0] / 2, y + size[1] / 2];
}

function lineOf({ at }: Ask, middle: Place): Box {
  return [at[0], at[1], at[0] + middle[0], at[1] + middle[1]];
}

/** Boxes that are taken, found again through the cells of a grid. */
export class Taken {
  private readonly cells = new Map<number, { box: Box; owner: number }[]>();

  free(box: Box, owner: number): boolean {
    for (const key of touched(box))
      for (const other of this.cells.get(key) ?? []) if (other.owner !== owner && meet(box, other.box)) return false;
    return true;
  }

  /** Whether a line runs over a box, but for those on its point. */
  crossed(line: Box, owner: number): boolean {
    const [x, y] = line;
    const around: Box = [Math.min(x, line[2]), Math.min(y, line[3]), Math.max(x, line[2]), Math.max(y, line[3])];
    for (const key of touched(around))
      for (const { box, owner: other } of this.cells.get(key) ?? []) {
        if (other !== owner && !inside([x, y, x, y], box) && crosses(line, box)) return true;
      }
    return false;
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

export function inside(a: Box, b: Box): boolean {
  return a[0] >= b[0] && a[1] >= b[1] && a[2] <= b[2] && a[3] <= b[3];
}

/** Whether the straight line from (x, y) to (x, y) meets a box. */
function crosses([x, y, toX, toY]: Box, [left, top, right, bottom]: Box): boolean {
  const [dx, dy] = [toX - x || 1e-9, toY - y || 1e-9];
  const [a, b, c, d] = [(left - x) / dx, (right - x) / dx, (top - y) / dy, (bottom - y) / dy];
  const enter = Math.max(Math.min(a, b), Math.min(c, d));
  const leave = Math.min(Math.max(a, b), Math.max(c, d));
  return enter < leave && leave > 0 && enter < 1;
}
