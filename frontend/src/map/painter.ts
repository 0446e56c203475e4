/** Draws the map on one canvas, and what the reader points at on another above it. */
import { turn } from "./detail";
import type { Neighbour, Space } from "./space";
import { NAME_HEIGHT, placeNames, type Box, type Offset } from "./names";
import { mixed, pixelOf, Raster, stamped, type Stamp } from "./raster";
import { Sprites } from "./sprites";

export const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
type Pen = CanvasRenderingContext2D;
type Place = [x: number, y: number];
const FAINT = 0.13;
const CROWD = 2000; // items on the page, about
export const LINE = 0.75; // the strength of the circles that show uncertainty
const [SMOOTH_INK, MOST_INK] = [60_000, 500_000]; // pixels of all circles: up to which they are smooth, and drawn at all

/** What is drawn: items in the order of their importance, and where they are on the page. */
export interface Scene {
  arrows: Drawn[]; // on the page, above the points
  uncertainty: number[] | null; // radii of circles, in the unit of the positions
  dots: number[]; // all that are shown, sorted by style
  pictured: number[];
  names: Map<number, Offset>;
  leads: Map<number, Offset>; // ends of lines from points to what is away from them
  shifts: Map<number, Offset>; // of pictures, from their points
  side: number; // of pictures, in pixels
  step: number;
  level: Uint8Array; // from which step on an item is a picture
  xs: Float64Array;
  ys: Float64Array;
  scale: number;
  origin: Place;
  width: number;
  height: number;
  faint: (item: number) => boolean;
}

/** An arrow on the page, and where its name begins. */
export interface Drawn {
  from: Place;
  to: Place;
  head: [Place, Place]; // the two ends of its barbs
  text: string;
  name: Place; // the left end of the text, in its middle
}

export class Painter {
  readonly sprites: Sprites;
  readonly names: string[];
  readonly widths: number[];
  readonly ground: Pen;
  theme = { paper: "", ink: "", muted: "" };
  colours: string[] = [];
  radius = 2;
  private readonly above: Pen;
  private density = 1;
  private raster = new Raster(1, 1);
  private stamps = new Map<number, Stamp>();
  private paper = 0;
  private muted = 0;
  private inks: number[] = []; // the colours, as pixels
  private marked = false;
  private plain = false;

  constructor(
    private readonly space: Space,
    private readonly root: HTMLElement,
    private readonly layers: [HTMLCanvasElement, HTMLCanvasElement],
    onload: () => void,
  ) {
    this.ground = layers[0].getContext("2d", { alpha: false })!;
    this.above = layers[1].getContext("2d")!;
    this.ground.font = FONT;
    this.names = space.contents.names.map((name) => shorten(name, 32));
    this.widths = this.names.map((name) => this.ground.measureText(name).width);
    this.sprites = new Sprites(space.contents, onload);
    this.dress();
  }

  widthOf(text: string): number {
    this.ground.font = FONT;
    return this.ground.measureText(text).width;
  }

  /** Read the colours of the page's theme. */
  dress(): void {
    const page = getComputedStyle(this.root);
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const read = (name: string) => page.getPropertyValue(name).trim();
    this.theme = { paper: read("--paper"), ink: read("--ink"), muted: read("--muted") };
    this.colours = this.space.styles[dark ? "dark" : "light"];
    this.inks = this.colours.map(pixelOf);
    [this.paper, this.muted] = [pixelOf(this.theme.paper), pixelOf(this.theme.muted)];
    this.stamps.clear();
    this.sprites.clear();
  }

  resize(width: number, height: number): void {
    this.density = devicePixelRatio || 1;
    for (const layer of this.layers) {
      layer.width = Math.round(width * this.density);
      layer.height = Math.round(height * this.density);
    }
    const { canvas } = this.ground;
    this.raster = new Raster(Math.max(canvas.width, 1), Math.max(canvas.height, 1));
    this.stamps.clear();
    this.sprites.clear();
  }

  /** Points are smaller the more there are, and grow a little as the reader comes nearer. */
  grow(zoom: number): void {
    const wide = Math.min(Math.max(6.6 - 1.15 * Math.log10(this.space.n), 2), 5) * Math.max(zoom, 1) ** 0.3;
    const radius = Math.round(2 * Math.min(wide, 6)) / 2;
    if (radius !== this.radius) this.stamps.clear();
    this.radius = radius;
    this.plain = this.space.n / Math.max(zoom, 1) ** 2 > CROWD;
  }

  /** The whole map: points, also of pictures that are away, pictures with the most important on top, then names. */
  draw(scene: Scene, pen: Pen = this.ground, raster: Raster = this.raster): void {
    const { xs, ys, step, level, side, width, height } = scene;
    const d = this.density;
    const scale = d * scene.scale;
    const [left, top] = scene.origin.map((at) => Math.round(d * at)) as Place;
    const edge = (d * Math.max(side, 16)) / 2;
    const [right, bottom] = [d * width + edge, d * height + edge];
    raster.clear(this.paper);
    this.circles(raster, scene, [left, top], scale);
    const drawn = (items: number[], pictures: boolean, draw: (item: number, x: number, y: number) => void) => {
      for (const i of items) {
        if (level[i]! <= step !== pictures && (pictures || !scene.leads.has(i))) continue;
        const [dx, dy] = (pictures && scene.shifts.get(i)) || [0, 0];
        const [x, y] = [left + xs[i]! * scale + d * dx, top - ys[i]! * scale + d * dy];
        if (x > -edge && y > -edge && x < right && y < bottom) draw(i, x, y);
      }
    };
    for (const [i, [dx, dy]] of scene.leads) {
      const [x, y] = [left + xs[i]! * scale, top - ys[i]! * scale];
      raster.line(x, y, x + d * dx, y + d * dy, this.muted);
    }
    drawn(scene.dots, false, (i, x, y) => this.point(raster, i, x, y, scene.faint(i)));
    this.sprites.begin();
    drawn(scene.pictured, true, (i, x, y) => this.picture(raster, i, x, y, Math.round(d * side), scene.faint(i)));
    pen.putImageData(raster.image, 0, 0);
    this.begin(pen);
    for (const arrow of scene.arrows) this.arrow(pen, arrow);
    for (const [i, offset] of scene.names) {
      const [x, y] = [(left + xs[i]! * scale) / d, (top - ys[i]! * scale) / d];
      if (x > -300 && x < width + 300 && y > -30 && y < height + 30) this.name(pen, i, [x, y], offset);
    }
  }

  /** The item pointed at: lines to its neighbours, a ring, their pictures or names. */
  mark(scene: Scene, at: (item: number) => Place, item: number | null, near: Neighbour[], card: Box): void {
    const pen = this.above;
    if (this.marked) pen.reset();
    this.marked = item !== null;
    if (item === null) return;
    this.begin(pen);
    const others = near.map((other) => other.item);
    pen.strokeStyle = this.theme.ink;
    pen.lineWidth = 1;
    pen.globalAlpha = 0.5;
    for (const other of others) line(pen, at(item), at(other));
    pen.globalAlpha = 1;
    const side = Math.max(scene.side, 36);
    for (const other of others.reverse()) this.lift(pen, other, at(other), side);
    this.lift(pen, item, at(item), Math.round(side * 1.3), 2);
    if (this.sprites.any) return;
    for (const [i, offset] of placeNames(at, [item, ...others.reverse()], this.widths, this.radius, null, [card])) {
      this.name(pen, i, at(i), offset);
    }
  }

  /** The whole map by itself, on paper, with room at the right. */
  print(scene: Scene, density: number, room: number): HTMLCanvasElement {
    const canvas = document.createElement("canvas");
    canvas.width = Math.round((scene.width + room) * density);
    canvas.height = Math.round(scene.height * density);
    const before = this.density;
    this.dense(density);
    for (const i of scene.pictured) {
      if (scene.level[i]! <= scene.step) this.sprites.framed(i, Math.round(density * scene.side), this.rim(i), true);
    }
    this.draw(scene, canvas.getContext("2d")!, new Raster(canvas.width, canvas.height));
    this.dense(before);
    return canvas;
  }

  rim(item: number): string {
    return this.space.contents.classes ? this.colours[this.space.style(item)]! : this.theme.muted;
  }

  /** Draw with another number of pixels for each of the page's; stamps are made anew. */
  private dense(density: number): void {
    this.density = density;
    this.stamps.clear();
    this.sprites.clear();
  }

  private begin(pen: Pen): void {
    pen.setTransform(this.density, 0, 0, this.density, 0, 0);
    pen.font = FONT;
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
  }

  /** How uncertain positions are: smooth circles where few are on the page, else plain ones, and of too many some. */
  private circles(raster: Raster, { uncertainty, dots, faint, xs, ys }: Scene, [left, top]: Place, scale: number): void {
    if (!uncertainty) return;
    const least = this.radius * this.density;
    const seen: number[] = [];
    let ink = 0;
    for (const i of dots) {
      const radius = uncertainty[i]! * scale;
      if (radius < least || faint(i) || !raster.crosses(left + xs[i]! * scale, top - ys[i]! * scale, radius)) continue;
      seen.push(i);
      ink += Math.min(2 * Math.PI * radius, raster.width + raster.height);
    }
    const plain = this.inks.map((colour) => mixed(colour, this.paper, 255 * LINE));
    for (const i of seen) {
      if (turn(i) > MOST_INK / ink) continue;
      const [x, y, radius, style] = [left + xs[i]! * scale, top - ys[i]! * scale, uncertainty[i]! * scale, this.space.style(i)];
      if (ink > SMOOTH_INK) raster.circle(x, y, radius, plain[style]!);
      else for (let rim = 0; rim < this.density; rim++) raster.circle(x, y, radius - rim, this.inks[style]!, 255 * LINE);
    }
  }

  /** Where thousands are on the page, points are so small that a plain square does. */
  private point(raster: Raster, item: number, x: number, y: number, faint: boolean, hollow = this.space.flagged.has(item)): void {
    const style = this.space.style(item);
    if (!this.plain || hollow) return raster.stamp(this.stamp(style, hollow), x, y, faint ? FAINT : 1);
    const ink = faint ? mixed(this.inks[style]!, this.paper, 255 * FAINT) : this.inks[style]!;
    raster.square(x, y, Math.round(2 * this.radius * this.density), ink);
  }

  /** A picture, or the point in its place until it is loaded. */
  private picture(raster: Raster, item: number, x: number, y: number, side: number, faint: boolean): void {
    const framed = this.sprites.framed(item, side, this.rim(item));
    if (!framed) return this.point(raster, item, x, y, faint);
    raster.stamp(framed, x, y, faint ? FAINT : 1);
    if (this.space.flagged.has(item)) this.point(raster, item, x + framed.width / 2 - 3, y - framed.height / 2 + 3, faint, true);
  }

  private name(pen: Pen, item: number, at: Place, offset: Offset): void {
    this.words(pen, this.names[item]!, [at[0] + offset[0], at[1] + offset[1] + NAME_HEIGHT / 2]);
  }

  private words(pen: Pen, text: string, at: Place): void {
    pen.lineWidth = 3.5;
    pen.strokeStyle = this.theme.paper;
    pen.fillStyle = this.theme.ink;
    pen.strokeText(text, ...at);
    pen.fillText(text, ...at);
  }

  private arrow(pen: Pen, { from, to, head, text, name }: Drawn): void {
    for (const [width, colour] of [[4, this.theme.paper], [1.5, this.theme.ink]] as const) {
      pen.lineWidth = width;
      pen.strokeStyle = colour;
      line(pen, from, to);
      for (const end of head) line(pen, to, end);
    }
    this.words(pen, text, name);
  }

  /** Show an item above the map: its picture in a frame, or its point in a ring. */
  private lift(pen: Pen, item: number, [x, y]: Place, side: number, width = 1.2): void {
    const picture = this.sprites.has(item) ? this.sprites.cut(item, side) : null;
    pen.fillStyle = picture ? this.rim(item) : this.colours[this.space.style(item)]!;
    if (picture) {
      const shrink = side / Math.max(picture.width, picture.height);
      const [w, h] = [picture.width * shrink, picture.height * shrink];
      pen.fillRect(x - w / 2 - 2, y - h / 2 - 2, w + 4, h + 4);
      pen.fillStyle = "#fff";
      pen.fillRect(x - w / 2, y - h / 2, w, h);
      pen.drawImage(picture, x - w / 2, y - h / 2, w, h);
      return;
    }
    pen.beginPath();
    pen.arc(x, y, this.radius, 0, 2 * Math.PI);
    pen.fill();
    pen.strokeStyle = this.theme.ink;
    pen.lineWidth = width;
    pen.beginPath();
    pen.arc(x, y, this.radius + 1 + width, 0, 2 * Math.PI);
    pen.stroke();
  }

  /** One drawn point, kept and stamped wherever it is needed. */
  private stamp(style: number, hollow: boolean): Stamp {
    const key = style * 2 + Number(hollow);
    const kept = this.stamps.get(key) ?? this.newStamp(style, hollow);
    this.stamps.set(key, kept);
    return kept;
  }

  private newStamp(style: number, hollow: boolean): Stamp {
    const r = Math.max(this.radius, hollow ? 3 : 0);
    const side = Math.ceil((2 * r + 4) * this.density);
    return stamped(side, side, (pen) => {
      pen.setTransform(this.density, 0, 0, this.density, side / 2, side / 2);
      pen.fillStyle = hollow ? this.theme.paper : this.colours[style]!;
      pen.strokeStyle = hollow ? this.colours[style]! : this.theme.paper;
      pen.lineWidth = hollow ? 1.6 : 0.16 * r;
      pen.beginPath();
      if (this.space.styles.shape[style] === "square") pen.rect(-0.9 * r, -0.9 * r, 1.8 * r, 1.8 * r);
      else pen.arc(0, 0, r, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
    });
  }
}

function line(pen: Pen, from: Place, to: Place): void {
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...to);
  pen.stroke();
}

export function shorten(name: string, letters: number): string {
  const text = name.replace(/\s+/g, " ");
  return text.length > letters ? `${text.slice(0, letters - 1)}…` : text;
}
