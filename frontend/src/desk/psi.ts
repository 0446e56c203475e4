/** The share of errors against distance, with the fitted psi. */
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { frame, room } from "./axes";
import { drawing, s } from "./svg";

type Bin = [distance: number, share: number, low: number, high: number, trials: number];

export interface Psi {
  points: Bin[];
  curve: [distance: number, share: number][];
}

const percent = (v: number) => `${Math.round(100 * v)} %`;
const LARGEST = 6; // radius of the bin with the most trials

export function drawPsi(figure: HTMLElement, { points, curve }: Psi): SVGElement {
  const at = room(figure, 280);
  const most = Math.max(...points.map((p) => p[4]));
  const x = scaleLinear([0, curve.at(-1)![0]], [at.left, at.width - at.right]);
  const y = scaleLinear([0, Math.max(0.5, ...points.map((p) => p[3]))], [at.height - at.bottom, at.top]);
  const svg = drawing(at.width, at.height, inWords(points));
  svg.append(frame(at, x, y, { x: "distance in the map", xFormat: (d: number) => String(d), yFormat: percent }));
  for (const [distance, share, low, high, trials] of points) {
    const place = x(distance);
    const dot = s("circle", { class: "dot s0", cx: place, cy: y(share), r: Math.max(2, LARGEST * Math.sqrt(trials / most)) });
    dot.append(s("title", {}, `distance ${distance.toFixed(2)}: ${percent(share)} of ${trials} trials`));
    svg.append(s("line", { class: "line s0", x1: place, x2: place, y1: y(low), y2: y(high) }), dot);
  }
  svg.append(s("path", { class: "line psi", d: line<[number, number]>((p) => x(p[0]), (p) => y(p[1]))(curve)! }));
  return svg;
}

function inWords(points: Bin[]): string {
  const [first, last] = [points[0]!, points.at(-1)!];
  return `Share of errors: from ${percent(first[1])} at distance ${first[0].toFixed(2)} to ${percent(last[1])} at ${last[0].toFixed(2)}.`;
}
