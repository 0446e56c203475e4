/** How a circle and the things around it share the room: the circle as large as that allows. Where it
 * would be too small, things wait in a tray below it, which is scrolled. */

export interface Point {
  x: number;
  y: number;
}

export interface Room {
  radius: number; // of the circle, in whose middle (0, 0) is
  width: number; // of each thing
  height: number;
  slots: Point[]; // where things lie before they are put into the circle, as people read
  rows: number; // of the tray; 0: there is none
  lift: number; // of the circle's middle above the middle of the room
}

const GAP = 6; // between things
const AWAY = 22; // between the circle and the things beside it, at most
const LARGEST = 120; // height of a thing
const SMALLEST = 48; // what a finger takes hold of, and an eye still knows
const MOST_ROWS = 3;
const FILLED = 0.58; // the root of the share of the circle that things cover
const TRIED = Array.from({ length: 16 }, (_, k) => 1 - k / 50); // shares of the room for the circle: a smaller one gives way to a tray

/** `aspect` is width over height of a thing: 1 for pictures. */
export function layOut(width: number, height: number, n: number, aspect = 1): Room {
  const rooms = TRIED.map((share) => fit(share, width, height, n, aspect));
  return rooms.find((room) => room.slots.length === n) ?? tray(width, height, n, aspect);
}

/** How far the tray of so many things can be scrolled. */
export function reach({ rows, width }: Room, n: number, room: number): number {
  return rows ? Math.max(0, Math.ceil(n / rows) * (width + GAP) + GAP - room) : 0;
}

function tray(width: number, height: number, n: number, aspect: number): Room {
  const [tall, wide] = [SMALLEST, Math.floor(SMALLEST * aspect)];
  const spare = Math.floor((height - width - GAP) / (tall + GAP));
  const rows = Math.max(1, Math.min(MOST_ROWS, n, spare));
  const strip = rows * (tall + GAP) + GAP;
  const outer = Math.max(1.5 * wide, Math.min(width, height - strip));
  const run = Math.min(width, Math.ceil(n / rows) * (wide + GAP) + GAP);
  const slots = Array.from({ length: n }, (_, k) => ({
    x: (Math.floor(k / rows) + 0.5) * (wide + GAP) + GAP / 2 - run / 2,
    y: ((k % rows) + 0.5) * (tall + GAP) + GAP / 2 + outer / 2,
  }));
  return { radius: (outer - wide) / 2, width: wide, height: tall, slots, rows, lift: strip / 2 };
}

function fit(share: number, width: number, height: number, n: number, aspect: number): Room {
  const outer = Math.max(1, share * Math.min(width, height));
  const fair = outer * (1 - 1 / (1 + FILLED / Math.sqrt(n)));
  const tall = Math.floor(Math.min(LARGEST, Math.max(SMALLEST, fair)));
  const wide = Math.floor(tall * aspect);
  const beside = lanes((width - outer) / 2, height, outer, wide, tall, n);
  const above = lanes((height - outer) / 2, width, outer, tall, wide, n).map(swapped);
  const slots = beside.length >= above.length ? beside : above;
  const radius = (outer - wide) / 2;
  return { radius, width: wide, height: tall, slots: slots.sort(read), rows: 0, lift: 0 };
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
