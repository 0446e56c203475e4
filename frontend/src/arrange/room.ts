/** How a circle and the things around it share the room: the circle as large as that allows. */

export interface Point {
  x: number;
  y: number;
}

export interface Room {
  radius: number; // of the circle, in whose middle (0, 0) is
  width: number; // of each thing
  height: number;
  slots: Point[]; // where things lie before they are put into the circle, as people read
}

const GAP = 6; // between things
const AWAY = 22; // between the circle and the things beside it, at most
const LARGEST = 120; // height of a thing
const SMALLEST = 24;
const FILLED = 0.58; // the root of the share of the circle that things cover
const TRIED = Array.from({ length: 40 }, (_, k) => 1 - k / 50); // shares of the room for the circle

/** `aspect` is width over height of a thing: 1 for pictures. */
export function layOut(width: number, height: number, n: number, aspect = 1): Room {
  const rooms = TRIED.map((share) => fit(share, width, height, n, aspect));
  return rooms.find((room) => room.slots.length === n) ?? rooms.at(-1)!;
}

function fit(share: number, width: number, height: number, n: number, aspect: number): Room {
  const outer = Math.max(1, share * Math.min(width, height));
  const fair = outer * (1 - 1 / (1 + FILLED / Math.sqrt(n)));
  const tall = Math.floor(Math.min(LARGEST, Math.max(SMALLEST, fair)));
  const wide = Math.floor(tall * aspect);
  const beside = lanes((width - outer) / 2, height, outer, wide, tall, n);
  const above = lanes((height - outer) / 2, width, outer, tall, wide, n).map(swapped);
  const slots = beside.length >= above.length ? beside : above;
  return { radius: (outer - wide) / 2, width: wide, height: tall, slots: slots.sort(read) };
}

/** Lanes left and right of the circle, the one next to it first; none if there is no room. */
function lanes(
  strip: number,
  length: number,
  outer: number,
  across: number,
  along: number,
  n: number,
): Point[] {
  const each = Math.ceil(n / 2);
  const longest = Math.floor((length + GAP) / (along + GAP));
  const most = Math.floor(strip / (across + GAP));
  if (longest * most < each) return [];
  const used = Math.ceil(each / longest);
  const run = Math.ceil(each / used);
  const away = Math.min(AWAY, strip - used * (across + GAP));
  return Array.from({ length: n }, (_, k) => {
    const [side, place] = [k % 2 ? 1 : -1, Math.floor(k / 2)];
    const lane = Math.floor(place / run);
    const x = outer / 2 + away + (lane + 0.5) * (across + GAP) - GAP / 2;
    return { x: side * x, y: ((place % run) - (run - 1) / 2) * (along + GAP) };
  });
}

function swapped({ x, y }: Point): Point {
  return { x: y, y: x };
}

function read(one: Point, other: Point): number {
  return Math.abs(one.y - other.y) > 1 ? one.y - other.y : one.x - other.x;
}

export function isInside({ x, y }: Point): boolean {
  return Math.hypot(x, y) <= 1;
}

/** The place itself, or where the way to it from the middle leaves the circle. */
export function within({ x, y }: Point): Point {
  const far = Math.max(1, Math.hypot(x, y));
  return { x: x / far, y: y / far };
}

/** To 4 decimals, toward the middle: a place on the rim stays in the circle. */
export function rounded({ x, y }: Point): [number, number] {
  const cut = (one: number) => Math.trunc(Math.round(one * 1e8) / 1e4) / 1e4 || 0; // no -0
  return [cut(x), cut(y)];
}

/** The first place, on a spiral from the middle, with nothing nearer than `apart`. */
export function free(taken: Point[], apart: number): Point {
  for (let k = 0; k < 400; k++) {
    const [far, turn] = [0.06 * Math.sqrt(k), 2.4 * k];
    const place = within({ x: far * Math.cos(turn), y: far * Math.sin(turn) });
    if (taken.every(({ x, y }) => Math.hypot(x - place.x, y - place.y) >= apart)) return place;
  }
  return { x: 0, y: 0 };
}
