/** Features and words as arrows on the map: each points to where it grows, the longer the better the map predicts it. */
import type { Drawn } from "./painter";
import type { SimilarityMap } from "./map";
import type { Axis } from "./data";
import { boxAround } from "./few";
import { NAME_HEIGHT, placeNames, type Box } from "./names";

const BARB = 8; // pixels
const STEP = 8; // pixels of an arrow that one box keeps free
const REACH = 24; // pixels that its name may be away

type Place = [x: number, y: number];
type Shaft = Pick<Drawn, "from" | "to">;

/** The arrows of a map in the view, in pixels of the page; no name lies on an arrow or another name. */
export function arrowsOf(map: SimilarityMap, axes: (Axis | undefined)[], xs: Float64Array, ys: Float64Array): Drawn[] {
  const { arrows } = map.space.contents;
  if (!arrows) return [];
  const middle = [mean(xs), mean(ys)] as const;
  const from = map.view.toPage(...middle);
  const ends = arrows.map(({ to }) => {
    const [dx, dy] = axes.map((axis) => (axis ? inner(axis.weights, to) : 0)) as Place;
    return map.view.toPage(middle[0] + dx, middle[1] + dy);
  });
  const texts = arrows.map(({ name, strength }) => `${name} (${strength})`);
  const widths = texts.map((text) => map.painter.widthOf(text));
  const shafts = ends.flatMap((to) => boxesAlong({ from, to }));
  const dots = map.shown.map((item) => boxAround(map.at(item), 0, 0, map.painter.radius));
  const page: Box = [4, 4, map.view.width - 4, map.view.height - 4];
  const placed = (blocked: Box[]) => placeNames((k) => ends[k]!, [...texts.keys()], widths, 2, page, blocked, REACH);
  const clear = placed([...shafts, ...dots]);
  const offsets = clear.size < arrows.length ? placed(shafts) : clear; // among many points names lie on some
  return ends.map((to, k) => {
    const way = Math.atan2(to[1] - from[1], to[0] - from[0]);
    const barb = (turn: number): Place => [to[0] - BARB * Math.cos(way + turn), to[1] - BARB * Math.sin(way + turn)];
    const [dx, dy] = offsets.get(k) ?? [0, 0];
    return { from, to, head: [barb(0.5), barb(-0.5)], text: texts[k]!, name: [to[0] + dx, to[1] + dy + NAME_HEIGHT / 2] };
  });
}

/** Boxes that names of items leave free, in pixels from a corner: the names of arrows, and the arrows. */
export function boxesOf(arrows: Drawn[], widthOf: (text: string) => number, [left, top]: readonly [number, number]): Box[] {
  const names = arrows.map(({ text, name: [x, y] }): Box => [x, y - NAME_HEIGHT / 2, x + widthOf(text), y + NAME_HEIGHT / 2]);
  return [...names, ...arrows.flatMap(boxesAlong)].map(([l, t, r, b]) => [l - left, t - top, r - left, b - top]);
}

function boxesAlong({ from, to }: Shaft): Box[] {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const n = Math.max(1, Math.ceil(Math.hypot(dx, dy) / STEP));
  return Array.from({ length: n + 1 }, (_, k): Box => {
    const [x, y] = [from[0] + (k / n) * dx, from[1] + (k / n) * dy];
    return [x - 1, y - 1, x + 1, y + 1];
  });
}

function inner(a: number[], b: number[]): number {
  return a.reduce((sum, value, k) => sum + value * b[k]!, 0);
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
