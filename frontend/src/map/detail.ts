/**
 * Level of detail: which pictures are shown at which zoom, so that none covers another.
 *
 * Zoom goes in steps of a quarter. A picture that is shown at one step is shown at all nearer ones;
 * at each step the others follow, in a fixed order, where there is room. So nothing flickers, and a
 * frame only compares two numbers for each item.
 */
import { FARTHEST, NEAREST } from "./view";

const STEP = 1.25;
const STEPS = Math.ceil(Math.log(NEAREST / FARTHEST) / Math.log(STEP)) + 1;
export const NEVER = 255;
const [LEAST, GROWTHS] = [28, 5]; // sides of pictures in pixels: the least, and how often it grows by a step
const APART = 0.8; // of a side: pictures may overlap a little

export function stepAt(zoom: number): number {
  return Math.floor(Math.log(zoom / FARTHEST + 1e-9) / Math.log(STEP) + 1e-6);
}

/** The side of pictures whose middles are usually so many pixels apart: few sizes, so that copies can be kept. */
export function sideFor(gap: number): number {
  const growth = Math.floor(Math.log((1.3 * gap) / LEAST) / Math.log(STEP));
  return LEAST * STEP ** Math.min(Math.max(growth, 0), GROWTHS);
}

/** The first step at which each item's picture has room; `NEVER` for those not asked for. */
export function levels(xs: Float64Array, ys: Float64Array, order: number[], fit: number, gap: number): Uint8Array {
  const level = new Uint8Array(xs.length).fill(NEVER);
  let waiting = order;
  const shown: number[] = [];
  for (let step = 0; step < STEPS && waiting.length; step++) {
    const scale = fit * FARTHEST * STEP ** step;
    const cells = new Cells((APART * sideFor(gap * scale)) / scale, xs, ys);
    for (const i of shown) cells.take(i);
    waiting = waiting.filter((i) => {
      if (!cells.free(i)) return true;
      cells.take(i);
      shown.push(i);
      level[i] = step;
      return false;
    });
  }
  for (const i of waiting) level[i] = STEPS; // in one place with another: on top of it when nearest
  return level;
}

/** Points on a grid of cells, hashed: is any other nearer than a cell's side along both axes? */
class Cells {
  private readonly heads = new Int32Array(1 << 15).fill(-1);
  private readonly next: Int32Array;

  constructor(
    private readonly side: number,
    private readonly xs: Float64Array,
    private readonly ys: Float64Array,
  ) {
    this.next = new Int32Array(xs.length);
  }

  take(i: number): void {
    const key = this.key(Math.floor(this.xs[i]! / this.side), Math.floor(this.ys[i]! / this.side));
    this.next[i] = this.heads[key]!;
    this.heads[key] = i;
  }

  free(i: number): boolean {
    const [x, y] = [this.xs[i]!, this.ys[i]!];
    const [column, row] = [Math.floor(x / this.side), Math.floor(y / this.side)];
    for (let c = column - 1; c <= column + 1; c++)
      for (let r = row - 1; r <= row + 1; r++)
        for (let j = this.heads[this.key(c, r)]!; j >= 0; j = this.next[j]!)
          if (Math.abs(this.xs[j]! - x) < this.side && Math.abs(this.ys[j]! - y) < this.side) return false;
    return true;
  }

  private key(column: number, row: number): number {
    return (Math.imul(column, 73856093) ^ Math.imul(row, 19349663)) & 0x7fff;
  }
}

/** The median distance to the nearest neighbour, over a few of the items. */
export function typicalGap(xs: Float64Array, ys: Float64Array, items: number[]): number {
  const gaps = items.slice(0, 200).map((i) => {
    let least = Infinity;
    for (let j = 0; j < xs.length; j++) if (j !== i) least = Math.min(least, Math.hypot(xs[i]! - xs[j]!, ys[i]! - ys[j]!));
    return least;
  });
  return gaps.sort((a, b) => a - b)[gaps.length >> 1]!;
}

/** A fixed order in which any first part is spread over all items: multiples of the golden ratio. */
export function spreadOut(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i).sort((a, b) => turn(a) - turn(b));
}

/** A number from 0 to 1 for each item: those below any share are spread over all. */
export function turn(item: number): number {
  return (item * 0.6180339887498949) % 1;
}
