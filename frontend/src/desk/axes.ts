/** The frame of a chart: lines, ticks and their words. */
import type { ScaleContinuousNumeric, ScaleTime } from "d3-scale";
import { s } from "./svg";

export interface Room {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

type Number_ = ScaleContinuousNumeric<number, number>;
type Time = ScaleTime<number, number>;

/** A number with thin spaces between thousands, as the page writes it. */
export const grouped = (n: number): string => n.toLocaleString("en").replaceAll(",", "\u202f");

export function room(figure: HTMLElement, height: number): Room {
  const style = getComputedStyle(figure);
  const inner = figure.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return { width: Math.max(260, inner), height, left: 48, right: 14, top: 12, bottom: 40 };
}

export function frame(
  at: Room,
  x: Number_ | Time,
  y: Number_,
  told: { x: string; xTicks?: number[]; xFormat: (t: never) => string; yFormat: (v: number) => string },
): SVGElement {
  const group = s("g", { class: "frame", "aria-hidden": "true" });
  const low = at.height - at.bottom;
  for (const tick of y.ticks(4)) {
    const place = y(tick);
    group.append(
      s("line", { x1: at.left, x2: at.width - at.right, y1: place, y2: place }),
      s("text", { x: at.left - 8, y: place, dy: "0.32em", class: "end" }, told.yFormat(tick)),
    );
  }
  const count = Math.max(2, Math.floor((at.width - at.left) / 110));
  const ticks: (number | Date)[] = told.xTicks ?? (x.ticks(count) as (number | Date)[]);
  for (const tick of ticks) {
    const words = told.xFormat(tick as never);
    group.append(s("text", { x: x(tick as number), y: low + 16, class: "middle" }, words));
  }
  group.append(
    s("line", { x1: at.left, x2: at.width - at.right, y1: low, y2: low, class: "base" }),
    s("text", { x: (at.left + at.width - at.right) / 2, y: at.height - 4, class: "middle name" }, told.x),
  );
  return group;
}
