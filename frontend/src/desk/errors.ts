/** The error on held-out answers against the number of answers, with its bands. */
import { scaleLinear, scaleLog } from "d3-scale";
import { area, line } from "d3-shape";
import { frame, grouped, room } from "./axes";
import { drawing, s } from "./svg";

type Point = [answers: number, error: number, low: number, high: number];

export interface Errors {
  series: { name: string; points: Point[] }[];
  ceiling: { error: number; low: number; high: number } | null;
}

const percent = (v: number) => `${Math.round(100 * v)} %`;

export function drawErrors(figure: HTMLElement, { series, ceiling }: Errors): SVGElement | null {
  const all = series.flatMap((one) => one.points);
  if (!all.length) return null;
  const at = room(figure, 280);
  const least = Math.min(...all.map((p) => p[0]));
  const most = Math.max(...all.map((p) => p[0]));
  const top = Math.min(1, Math.max(0.5, ...all.map((p) => p[3])));
  const x = scaleLog([least, Math.max(most, 1.2 * least)], [at.left + 6, at.width - at.right]);
  const y = scaleLinear([0, top], [at.height - at.bottom, at.top]);
  const svg = drawing(at.width, at.height, inWords(series, ceiling));
  const ticks = logTicks(least, most, at.width < 480 ? 3 : 6);
  const told = { x: "answers fitted", xTicks: ticks, xFormat: grouped };
  svg.append(frame(at, x, y, { ...told, yFormat: percent }));
  if (ceiling) svg.append(...best(ceiling, x.range() as [number, number], y));
  const band = area<Point>((p) => x(p[0]), (p) => y(p[2]), (p) => y(p[3]));
  const path = line<Point>((p) => x(p[0]), (p) => y(p[1]));
  series.forEach(({ points }, n) => {
    svg.append(s("path", { class: `band s${n}`, d: band(points)! }));
    svg.append(s("path", { class: `line s${n}`, d: path(points)! }));
    for (const p of points) {
      const dot = s("circle", { class: `dot s${n}`, cx: x(p[0]), cy: y(p[1]), r: 2.5 });
      dot.append(s("title", {}, `${p[0]} answers: ${(100 * p[1]).toFixed(1)} %`));
      svg.append(dot);
    }
  });
  return svg;
}

/** The names of the lines, where there are several. */
export function errorsLegend({ series }: Errors): HTMLElement | null {
  if (series.length < 2) return null;
  const list = document.createElement("ul");
  list.className = "legend";
  series.forEach(({ name }, n) => {
    const item = document.createElement("li");
    item.append(s("svg", { width: 26, height: 10, "aria-hidden": "true" }, s("path", { class: `line s${n}`, d: "M1 5H25" })), name);
    list.append(item);
  });
  return list;
}

function best(ceiling: { error: number; low: number; high: number }, [from, to]: [number, number], y: (v: number) => number): SVGElement[] {
  const place = y(ceiling.error);
  return [
    s("rect", { class: "ceiling", x: from, width: to - from, y: y(ceiling.high), height: Math.max(0, y(ceiling.low) - y(ceiling.high)) }),
    s("line", { class: "ceiling", x1: from, x2: to, y1: place, y2: place }),
  ];
}

/** Round numbers between two, at most so many. */
export function logTicks(least: number, most: number, wanted: number): number[] {
  const found: number[] = [];
  for (let power = 1; power <= most; power *= 10) {
    for (const n of [1, 2, 5]) if (n * power >= least && n * power <= most) found.push(n * power);
  }
  if (found.length < 2) return least === most ? [least] : scaleLinear([least, most], [0, 1]).ticks(wanted);
  const step = Math.ceil(found.length / wanted);
  return found.filter((_, place) => (found.length - 1 - place) % step === 0);
}

function inWords(series: Errors["series"], ceiling: Errors["ceiling"]): string {
  const lines = series.map(({ name, points }) => {
    const [first, last] = [points[0]!, points.at(-1)!];
    return `${name}: from ${percent(first[1])} at ${first[0]} answers to ${percent(last[1])} at ${last[0]}`;
  });
  const best = ceiling ? `. Best possible: ${percent(ceiling.error)}` : "";
  return `Error on held-out answers. ${lines.join("; ")}${best}.`;
}
