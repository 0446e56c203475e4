/** Features as arrows on the map: each points to where it grows, the longer the more of it the map explains. */
import type { Drawn } from "./painter";
import type { SimilarityMap } from "./map";
import type { Axis } from "./data";

const BARB = 8; // pixels
const GAP = 6;

/** The arrows of a map in the view, in pixels of the page. */
export function arrowsOf(map: SimilarityMap, axes: (Axis | undefined)[], xs: Float64Array, ys: Float64Array): Drawn[] {
  const { arrows } = map.space.contents;
  if (!arrows) return [];
  const middle = [mean(xs), mean(ys)] as const;
  const from = map.view.toPage(...middle);
  return arrows.map(({ name, to, share }) => {
    const [dx, dy] = axes.map((axis) => (axis ? inner(axis.weights, to) : 0)) as [number, number];
    const end = map.view.toPage(middle[0] + dx, middle[1] + dy);
    const text = `${name} (${Math.round(100 * share)}%)`;
    const way = Math.atan2(end[1] - from[1], end[0] - from[0]);
    const barb = (turn: number): [number, number] => [end[0] - BARB * Math.cos(way + turn), end[1] - BARB * Math.sin(way + turn)];
    const width = map.painter.widthOf(text);
    const left = end[0] + GAP * Math.cos(way) - (width * (1 - Math.cos(way))) / 2;
    return { from, to: end, head: [barb(0.5), barb(-0.5)], text, name: [left, end[1] + 2 * GAP * Math.sin(way)] };
  });
}

function inner(a: number[], b: number[]): number {
  return a.reduce((sum, value, k) => sum + value * b[k]!, 0);
}

function mean(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
