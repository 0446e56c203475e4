/** Which part of the plane the page shows: one scale for both axes, y upwards. Gestures are d3-zoom's. */
import { select, type Selection } from "d3-selection";
import { zoom, zoomIdentity, type D3ZoomEvent, type ZoomBehavior, type ZoomTransform } from "d3-zoom";

export const NEAREST = 400;
export const FARTHEST = 0.5;
type Values = ArrayLike<number>;
type Gesture = D3ZoomEvent<HTMLCanvasElement, unknown>;

export class View {
  width = 1;
  height = 1;
  private fit = 1;
  private middle: [number, number] = [0, 0];
  private reach: [number, number] = [1, 1];
  private transform: ZoomTransform = zoomIdentity;
  private readonly stage: Selection<HTMLCanvasElement, unknown, null, undefined>;
  private readonly gestures: ZoomBehavior<HTMLCanvasElement, unknown>;

  constructor(canvas: HTMLCanvasElement, takesWheel: () => boolean, onchange: (zoomed: boolean) => void) {
    this.gestures = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([FARTHEST, NEAREST])
      .clickDistance(6)
      .filter((event: MouseEvent) => (event.type === "wheel" ? event.ctrlKey || takesWheel() : !event.ctrlKey && !event.button))
      .extent(() => [[0, 0], [this.width, this.height]])
      .constrain((transform) => this.kept(transform))
      .on("zoom", ({ transform }: Gesture) => {
        const zoomed = transform.k !== this.transform.k;
        this.transform = transform;
        onchange(zoomed);
      })
      .on("start end", ({ type, sourceEvent }: Gesture) => {
        canvas.classList.toggle("dragging", type === "start" && sourceEvent?.type === "mousedown");
      });
    this.stage = select(canvas).call(this.gestures).on("dblclick.zoom", null);
  }

  get zoom(): number {
    return this.transform.k;
  }

  /** Pixels for a unit of the plane. */
  get scale(): number {
    return this.fit * this.transform.k;
  }

  /** Offsets of a position: its pixel is (left + x * scale, top - y * scale). */
  get origin(): [left: number, top: number] {
    return [
      this.transform.applyX(this.width / 2 - this.middle[0] * this.fit),
      this.transform.applyY(this.height / 2 + this.middle[1] * this.fit),
    ];
  }

  toPage(x: number, y: number): [number, number] {
    const [left, top] = this.origin;
    return [left + x * this.scale, top - y * this.scale];
  }

  /** Frame new positions. */
  frame(xs: Values, ys: Values): void {
    const [[left, right], [low, high]] = [span(xs), span(ys)];
    const least = Math.max(right - left, high - low) * 1e-3 || 1;
    this.middle = [(left + right) / 2, (low + high) / 2];
    this.reach = [Math.max(right - left, least), Math.max(high - low, least)];
  }

  /** Take another size of the page; what was in its middle stays there. */
  resize(width: number, height: number, margins: [number, number]): void {
    const [left, top] = this.origin;
    const middle = [(this.width / 2 - left) / this.scale, (top - this.height / 2) / this.scale] as const;
    Object.assign(this, { width, height });
    const room = (side: number, margin: number) => Math.max(side - 2 * margin, side / 4);
    this.fit = Math.min(room(width, margins[0]) / this.reach[0], room(height, margins[1]) / this.reach[1]);
    this.centre(...middle);
  }

  reset(): void {
    this.gestures.transform(this.stage, zoomIdentity);
  }

  /** Show what another view shows. */
  follow(other: View): void {
    this.gestures.transform(this.stage, this.kept(other.transform));
  }

  move(dx: number, dy: number): void {
    this.gestures.translateBy(this.stage, dx / this.zoom, dy / this.zoom);
  }

  zoomBy(factor: number, at: [number, number] = [this.width / 2, this.height / 2]): void {
    this.gestures.scaleBy(this.stage, factor, at);
  }

  centre(x: number, y: number): void {
    const [px, py] = this.flat(x, y);
    const to = zoomIdentity.translate(this.width / 2, this.height / 2).scale(this.zoom).translate(-px, -py);
    this.gestures.transform(this.stage, this.kept(to));
  }

  /** The page around all items, in pixels from the origin of the plane; null where it is zoomed in. */
  page(): [number, number, number, number] | null {
    if (this.zoom > 1) return null;
    const [x, y] = [this.middle[0] * this.scale, -this.middle[1] * this.scale];
    const [w, h] = [this.width / 2 - 4, this.height / 2 - 4];
    return [x - w, y - h, x + w, y + h];
  }

  /** The pixel of a position before any gesture. */
  private flat(x: number, y: number): [number, number] {
    return [this.width / 2 + (x - this.middle[0]) * this.fit, this.height / 2 - (y - this.middle[1]) * this.fit];
  }

  /** Move no further than that the outermost item is in the middle of the page. */
  private kept(transform: ZoomTransform): ZoomTransform {
    const { width, height, fit, reach } = this;
    const [x, y] = transform.invert([width / 2, height / 2]);
    const beyond = (value: number, middle: number, half: number) =>
      value - Math.min(Math.max(value, middle - half), middle + half);
    const dx = beyond(x, width / 2, (reach[0] * fit) / 2);
    const dy = beyond(y, height / 2, (reach[1] * fit) / 2);
    return dx || dy ? transform.translate(dx, dy) : transform;
  }
}

export function span(values: Values): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    low = Math.min(low, values[i]!);
    high = Math.max(high, values[i]!);
  }
  return [low, high];
}
