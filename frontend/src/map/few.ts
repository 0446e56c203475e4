/** Pictures of few items and their names: moved apart or made smaller until none hides another. */
import { moveApart, Taken, type Ask } from "./apart";
import { clamp, NAME_HEIGHT, placeNames, type Box, type Offset } from "./names";

export const FEW = 300;
const REACH = 48; // pixels that a picture may go from its point
const SMALLER = 1.25;
const [LEAST, NAMED_LEAST] = [10, 20]; // sides of pictures, without names below them and with
const CAPTION = NAME_HEIGHT + 2;

export interface Layout {
  side: number;
  shifts: Map<number, Offset>; // from points to the middles of their pictures
  names: Map<number, Offset>;
  leads: Map<number, Offset>; // where the lines end that lead from points to pictures away from them
}

export interface Wish {
  at: (item: number) => Offset;
  pictured: number[];
  plain: number[]; // items without a picture
  widths: number[];
  radius: number;
  page: Box | null;
  blocked: Box[]; // where neither pictures nor names may be
  side: number; // of pictures, at most
}

/** With names below if all find a place, in this size or one smaller; else without, and names where there is room. */
export function layOut(wish: Wish): Layout {
  let side = wish.side;
  for (; side >= NAMED_LEAST; side /= SMALLER) {
    const middles = moveApart(asksOf(wish, side, true), wish.page, REACH, takenOf(wish), true);
    if (!missing(wish, middles)) return laid(wish, side, middles, true);
  }
  for (side = wish.side; ; side /= SMALLER) {
    const last = side / SMALLER < LEAST;
    const reach = last ? 4 * REACH : REACH; // each item has its picture, if need be further away
    const middles = moveApart(asksOf(wish, side, false), wish.page, reach, takenOf(wish), !last);
    if (last || !missing(wish, middles)) return laid(wish, side, middles, false);
  }
}

function takenOf({ blocked }: Wish): Taken {
  const taken = new Taken();
  for (const box of blocked) taken.take(box, -1);
  return taken;
}

function missing(wish: Wish, middles: (Offset | null)[]): boolean {
  return middles.length < wish.pictured.length || middles.includes(null);
}

function asksOf({ at, pictured, widths }: Wish, side: number, named: boolean): Ask[] {
  return pictured.map((i) => {
    const size: Offset = named ? [Math.max(side, widths[i]!), side + CAPTION] : [side, side];
    return { at: at(i), size, first: [[0, named ? CAPTION / 2 : 0]], gap: 0 };
  });
}

function laid(wish: Wish, side: number, middles: (Offset | null)[], named: boolean): Layout {
  const layout: Layout = { side, shifts: new Map(), names: new Map(), leads: new Map() };
  wish.pictured.forEach((i, k) => {
    const middle = middles[k];
    if (!middle) return;
    const [x, y] = [middle[0], middle[1] - (named ? CAPTION / 2 : 0)];
    const half = side / 2;
    layout.shifts.set(i, [x, y]);
    if (named) layout.names.set(i, [x - wish.widths[i]! / 2, y + half + 1]);
    const end: Offset = [clamp(0, x - half, x + half), clamp(0, y - half, y + half)];
    if (Math.hypot(...end) > 1) layout.leads.set(i, end);
  });
  nameOthers(wish, layout);
  return layout;
}

/** Name what has no name yet beside its picture or point, where there is room. */
function nameOthers(wish: Wish, layout: Layout): void {
  const { at, widths, page } = wish;
  const shown = [...layout.shifts].map(([i, [dx, dy]]) => boxAround(at(i), dx, dy, layout.side / 2));
  const boxes = [...wish.blocked, ...shown];
  for (const [i, [dx, dy]] of layout.names) {
    const [x, y] = at(i);
    boxes.push([x + dx, y + dy, x + dx + widths[i]!, y + dy + NAME_HEIGHT]);
  }
  const waiting = [...layout.shifts.keys()].filter((i) => !layout.names.has(i));
  const middle = (i: number): Offset => {
    const [[x, y], [dx, dy]] = [at(i), layout.shifts.get(i)!];
    return [x + dx, y + dy];
  };
  for (const [i, [dx, dy]] of placeNames(middle, waiting, widths, layout.side / 2 - 3, page, boxes)) {
    const [sx, sy] = layout.shifts.get(i)!;
    layout.names.set(i, [sx + dx, sy + dy]);
    const [x, y] = middle(i);
    boxes.push([x + dx, y + dy, x + dx + widths[i]!, y + dy + NAME_HEIGHT]);
  }
  for (const [i, offset] of placeNames(at, wish.plain, widths, wish.radius, page, boxes)) layout.names.set(i, offset);
}

export function boxAround([x, y]: Offset, dx: number, dy: number, half: number): Box {
  return [x + dx - half, y + dy - half, x + dx + half, y + dy + half];
}
