/** Answers over time, as bars. */
import { scaleLinear, scaleUtc } from "d3-scale";
import { frame, grouped, room } from "./axes";
import { drawing, s } from "./svg";

export interface Activity {
  width: number; // of a bin, in seconds
  bins: [at: number, answers: number, people: number][];
  zone: string; // whose clocks are meant
}

const DAY = { day: "numeric", month: "short" } as const;
const HOUR = { hour: "2-digit", minute: "2-digit" } as const;

const UNITS: [number, string][] = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
];

export function drawActivity(figure: HTMLElement, { width, bins, zone }: Activity): SVGElement | null {
  if (!bins.length) return null;
  const at = room(figure, 190);
  const first = bins[0]![0];
  const last = bins.at(-1)![0] + width;
  const span = Math.max(last - first, 12 * width);
  const most = Math.max(...bins.map((bin) => bin[1]));
  const x = scaleUtc([(last - span) * 1000, last * 1000], [at.left, at.width - at.right]);
  const y = scaleLinear([0, most], [at.height - at.bottom, at.top]).nice(4);
  const total = bins.reduce((sum, bin) => sum + bin[1], 0);
  const words = `${total} answers in ${bins.length} stretches of ${lasting(width)}, at most ${most} in one.`;
  const svg = drawing(at.width, at.height, words);
  const whole = (v: number) => (Number.isInteger(v) ? grouped(v) : "");
  svg.append(frame(at, x, y, {
      x: `answers each ${lasting(width)}, ${zone}`,
      xFormat: written(zone, span > 2 * 86_400 ? DAY : HOUR),
      yFormat: whole,
    }));
  const thick = x(width * 1000) - x(0);
  const gap = Math.min(1, thick / 4);
  for (const [time, answers, people] of bins) {
    const bar = s("rect", {
      class: "bar",
      x: x(time * 1000) + gap / 2,
      width: Math.max(0.5, thick - gap),
      y: y(answers),
      height: Math.max(0, y(0) - y(answers)),
    });
    const when = written(zone, { ...DAY, ...HOUR })(new Date(time * 1000));
    bar.append(s("title", {}, `${when} ${zone}: ${answers} answers, ${people} people new`));
    svg.append(bar);
  }
  return svg;
}

/** Write times as clocks of a zone have them. */
function written(timeZone: string, parts: Intl.DateTimeFormatOptions): (time: Date) => string {
  return (time) => time.toLocaleString("en-GB", { ...parts, timeZone });
}

function lasting(seconds: number): string {
  const [unit, name] = UNITS.find(([unit]) => seconds % unit === 0) ?? [1, "second"];
  const n = seconds / unit;
  return n === 1 ? name : `${n} ${name}s`;
}
