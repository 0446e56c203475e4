/**
 * A map of items that a reader explores: near each other means similar.
 *
 *     import { mountMap } from "../map/map";
 *     const map = mountMap(element, { names, points, images });
 *
 * The element gets the map and its controls, and decides how large they are; `map.close()` ends it.
 */
import { arrowsOf, boxesOf } from "./arrows";
import type { MapData } from "./data";
import { levels, NEVER, sideFor, spreadOut, stepAt, typicalGap } from "./detail";
import { boxAround, FEW, layOut } from "./few";
import { leadsOf, placeNames, type Box, type Offset } from "./names";
import { Painter, type Drawn, type Scene } from "./painter";
import { boxOf, buildParts, type Parts } from "./parts";
import { drawAxes, drawCard, drawLegend, drawTable, inWords, placeCard } from "./panels";
import { drawPlayer } from "./player";
import { Space, type Neighbour } from "./space";
import { View } from "./view";
import "./style.css";

const NEAR = 6; // neighbours that are shown
const QUICK = 60; // items that find places in a moment
const MANY = 2000; // items whose names may follow every step of a zoom
const NAME_REACH = 24; // pixels that a name may go from its point
const REST_MS = 120;
const GLIDE_MS = 600;
const NONE: Offset = [0, 0];
const KEY_STEP = 60;

declare global {
  var similarityMap: SimilarityMap; // of a page that has one, for tests and for the reader's console
}

export function mountMap(root: HTMLElement, data: MapData): SimilarityMap {
  return new SimilarityMap(root, data);
}

export class SimilarityMap {
  readonly space: Space;
  readonly view: View;
  readonly painter: Painter;
  readonly hidden = new Set<number>(); // classes
  found: number[] | null = null;
  names = new Map<number, Offset>();
  leads = new Map<number, Offset>(); // where lines end that lead from points to what is away from them
  private shifts = new Map<number, Offset>(); // of pictures, from their points
  private fewSide = 0;
  xs: Float64Array;
  ys: Float64Array;
  stale = true; // what is shown must be chosen afresh
  private hits = new Set<number>();
  private hovered: number | null = null;
  private pinned: number | null = null;
  private readonly axes = [0, 1];
  private readonly order: number[]; // of importance: any first part is spread over all items
  shown: number[] = [];
  private dots: number[] = [];
  private pictured: number[] = [];
  private level: Uint8Array;
  private levelsDrawn = ""; // for what the levels were worked out
  private gap = 1;
  private frameAsked = 0;
  private rest = 0;
  private glide = 0;
  private carded = "";
  doubted = false; // whether uncertainty is shown
  directed = true; // whether the directions of features are shown
  private readonly parts: Parts;
  readonly ended = new AbortController();
  private readonly observer = new ResizeObserver(() => this.resized());

  constructor(
    readonly root: HTMLElement,
    data: MapData,
  ) {
    this.space = new Space(data);
    this.order = spreadOut(this.space.n);
    this.level = new Uint8Array(this.space.n).fill(NEVER);
    this.parts = buildParts(this);
    const { canvas, marks, stage } = this.parts;
    this.painter = new Painter(this.space, this.parts.whole, [canvas, marks], () => this.redraw(false)); // a picture has its place before it is loaded
    const free = () => root.dataset["embedded"] === undefined || root.contains(document.activeElement);
    this.view = new View(canvas, free, (zoomed) => this.moved(zoomed));
    [this.xs, this.ys] = this.positions();
    drawLegend(this, this.parts.legend);
    drawAxes(this, this.parts.axes);
    this.listen();
    this.turn(0, 0);
    drawPlayer(this, this.parts.player);
    this.observer.observe(stage);
    this.paint();
  }

  close(): void {
    this.ended.abort();
    this.observer.disconnect();
    cancelAnimationFrame(this.frameAsked);
    cancelAnimationFrame(this.glide);
    clearTimeout(this.rest);
    this.parts.whole.remove();
  }

  /** Choose what is drawn along x (0) or y (1). */
  turn(which: number, axis: number): void {
    this.axes[which] = axis;
    [this.xs, this.ys] = this.positions();
    this.gap = typicalGap(this.xs, this.ys, this.order);
    this.view.frame(this.xs, this.ys);
    this.view.reset();
    this.levelsDrawn = "";
    this.resize();
  }

  /** Go to the map of another time; items glide to their places unless the reader wants no motion. */
  show(frame: number): void {
    if (frame === this.space.frame) return;
    const from = [this.xs, this.ys] as const;
    this.space.frame = frame;
    const to = this.positions();
    cancelAnimationFrame(this.glide);
    const began = performance.now();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = () => {
      const t = still ? 1 : Math.min((performance.now() - began) / GLIDE_MS, 1);
      const eased = t * t * (3 - 2 * t);
      const between = (a: Float64Array, b: Float64Array) => a.map((v, i) => v + eased * (b[i]! - v));
      [this.xs, this.ys] = t < 1 ? [between(from[0], to[0]), between(from[1], to[1])] : to;
      if (t < 1) this.glide = requestAnimationFrame(step);
      else this.arrived();
      this.redraw(t === 1);
    };
    step();
  }

  /** A map of another time is there: some items may not have been, and others are near each other. */
  private arrived(): void {
    this.levelsDrawn = this.carded = "";
    if (this.pinned !== null && !this.visible(this.pinned)) this.pinned = null;
    this.hovered = null;
    this.parts.doubts.disabled = !this.space.uncertainty;
    this.search(this.parts.field.value);
  }

  /** Show how uncertain each position is, or no longer. */
  doubt(shown: boolean): void {
    this.parts.doubts.checked = this.doubted = shown;
    this.redraw(false);
  }

  /** Show the arrows of features, or no longer. */
  direct(shown: boolean): void {
    this.directed = shown;
    this.redraw();
  }

  zoom(factor: number): void {
    this.view.zoomBy(factor);
  }

  toggle(c: number): void {
    if (!this.hidden.delete(c)) this.hidden.add(c);
    if (this.pinned !== null && !this.visible(this.pinned)) this.pinned = null;
    this.hovered = null;
    this.redraw();
  }

  search(words: string): void {
    const wanted = words.trim().toLocaleLowerCase();
    const { names } = this.space.contents;
    const hit = (i: number) => this.space.placed(i) && names[i]!.toLocaleLowerCase().includes(wanted);
    this.found = wanted ? Array.from(names.keys()).filter(hit) : null;
    this.hits = new Set(this.found);
    this.parts.found.textContent = this.found ? `${this.found.length} of ${this.space.n}` : "";
    if (this.parts.list.open) drawTable(this, this.parts.table);
    this.redraw();
  }

  hover(item: number | null): void {
    if (item === this.hovered) return;
    this.hovered = item;
    this.parts.canvas.classList.toggle("over", item !== null);
    this.redraw(false);
  }

  pin(item: number | null): void {
    [this.pinned, this.hovered] = [item, null];
    this.parts.said.textContent = item === null ? "" : inWords(this, item, this.space.nearest(item, NEAR));
    this.redraw(false);
  }

  /** Pin an item, and bring it into sight where it is out of it. */
  visit(item: number): void {
    const own = this.space.contents.classOf?.[item];
    if (own !== undefined && this.hidden.delete(own)) drawLegend(this, this.parts.legend);
    const [x, y] = this.at(item);
    const { width, height } = this.view;
    const docked = matchMedia("(max-width: 40rem)").matches; // the card covers the lower part
    if (x < 24 || y < 24 || x > width - 24 || y > (docked ? height / 2 : height - 24)) this.view.centre(this.xs[item]!, this.ys[item]!);
    this.parts.stage.scrollIntoView({ block: "nearest" });
    this.pin(item);
    this.redraw();
  }

  at(item: number): [number, number] {
    return this.view.toPage(this.xs[item]!, this.ys[item]!);
  }

  /** Where an item's picture is, or its point. */
  spot(item: number): [number, number] {
    const [[x, y], [dx, dy]] = [this.at(item), this.shifts.get(item) ?? NONE];
    return [x + dx, y + dy];
  }

  visible(item: number): boolean {
    const { classOf } = this.space.contents;
    return this.space.placed(item) && (!classOf || !this.hidden.has(classOf[item]!));
  }

  faint(item: number): boolean {
    return this.found !== null && !this.hits.has(item);
  }

  /** The visible item nearest to a pixel, or null beyond the reach. */
  nearest(x: number, y: number, reach: number): number | null {
    const [left, top] = this.view.origin;
    const { scale } = this.view;
    let [best, least]: [number | null, number] = [null, Math.max(reach, this.side / 2)];
    for (const item of this.shown) {
      const [dx, dy] = this.shifts.get(item) ?? NONE;
      const distance = Math.hypot(left + this.xs[item]! * scale + dx - x, top - this.ys[item]! * scale + dy - y);
      if (distance < least) [best, least] = [item, distance];
    }
    return best;
  }

  get side(): number {
    if (this.shifts.size) return this.fewSide;
    return this.painter.sprites.any ? sideFor(this.gap * this.view.scale) : 0;
  }

  scene(): Scene {
    if (this.stale) this.arrange();
    const { dots, pictured, names, leads, shifts, side, level, xs, ys, view } = this;
    const step = stepAt(view.zoom);
    const { scale, origin, width, height } = view;
    const faint = (item: number) => this.faint(item);
    const uncertainty = this.doubted ? this.space.uncertainty : null;
    return { arrows: this.arrows(), uncertainty, dots, pictured, names, leads, shifts, side, step, level, xs, ys, scale, origin, width, height, faint };
  }

  private arrows(): Drawn[] {
    const drawn = [this.space.axes[this.axes[0]!], this.space.axes[this.axes[1]!]];
    return this.directed ? arrowsOf(this, drawn, this.xs, this.ys) : [];
  }

  redraw(stale = true): void {
    this.stale ||= stale;
    if (this.frameAsked) return;
    this.frameAsked = requestAnimationFrame(() => {
      this.frameAsked = 0;
      this.paint();
    });
  }

  private paint(): void {
    const item = this.pinned ?? this.hovered;
    this.painter.grow(this.view.zoom);
    const scene = this.scene();
    this.painter.draw(scene);
    if (this.painter.sprites.waiting) this.redraw(false);
    const near = item === null ? [] : this.space.nearest(item, NEAR).filter((other) => this.visible(other.item));
    const { canvas, card, stage } = this.parts;
    canvas.classList.toggle("behind", this.pinned !== null);
    this.fillCard(item, near);
    const at = (i: number) => this.spot(i);
    if (item !== null) placeCard(card, stage, at(item), near.map((other) => at(other.item)), 28 + 0.6 * scene.side);
    this.painter.mark(scene, at, item, near, item === null ? [0, 0, 0, 0] : boxOf(card, stage));
  }

  /** Fill the card only when it says something else: a button replaced under the mouse sees no click. */
  private fillCard(item: number | null, near: Neighbour[]): void {
    const says = `${item} ${this.pinned !== null}`;
    if (says === this.carded) return;
    this.carded = says;
    drawCard(this, this.parts.card, item, near, this.pinned !== null);
  }

  /** Choose afresh who shows a name or a picture: after anything but a gesture. */
  private arrange(): void {
    const { painter, space, xs, ys } = this;
    this.shown = this.order.filter((item) => this.visible(item));
    const clear = this.shown.filter((item) => !this.faint(item));
    this.dots = [...this.shown].sort((a, b) => space.style(a) - space.style(b));
    this.stale = false;
    const { scale, zoom } = this.view;
    painter.grow(zoom);
    const at = (i: number): [number, number] => [xs[i]! * scale, -ys[i]! * scale];
    const place = (): number => {
      if (!painter.sprites.any) this.chooseNames(at, clear);
      else if (space.n <= FEW) this.layPictures(at, clear);
      else this.choosePictures(at, clear);
      return clear.length - this.names.size;
    };
    const noted = clear.length > QUICK; // from the first, as few of so many have all their names
    this.note(noted ? clear.length : 0, clear.length);
    let unnamed = place();
    if (unnamed && !noted && this.view.page()) {
      this.note(clear.length, clear.length);
      unnamed = place();
    }
    this.note(unnamed, clear.length);
  }

  /** Say how many names are not shown; while items find places it keeps the room of the longest note. */
  private note(unnamed: number, n: number): void {
    this.parts.unnamed.textContent = unnamed ? `${unnamed} of ${n} names not shown: zoom in, or point at an item` : "";
  }

  private chooseNames(at: (item: number) => Offset, clear: number[]): void {
    const { widths, radius } = this.painter;
    const asking = clear.length > MANY ? this.around(clear) : clear;
    const reach = this.space.n <= FEW ? NAME_REACH : 0;
    this.names = placeNames(at, asking, widths, radius, this.view.page(), this.blocked(), reach);
    this.leads = leadsOf(this.names, widths, radius);
  }

  /** Where the page has arrows and, as long as everything is shown, controls and perhaps a note. */
  private blocked(): Box[] {
    const arrows = boxesOf(this.arrows(), (text) => this.painter.widthOf(text), this.view.origin);
    const page = this.view.page();
    if (!page) return arrows;
    const { stage, zoom, unnamed } = this.parts;
    const [left, top] = [page[0] - 4, page[1] - 4];
    const controls = [zoom, unnamed].filter((part) => part.textContent).map((part): Box => {
      const [l, t, r, b] = boxOf(part, stage);
      return [l + left, t + top, r + left, b + top];
    });
    return [...controls, ...arrows];
  }

  /** Of few items each has its picture at every zoom, and none hides another. */
  private layPictures(at: (item: number) => Offset, clear: number[]): void {
    const { widths, radius, sprites } = this.painter;
    const pictured = clear.filter((item) => sprites.has(item));
    const plain = clear.filter((item) => !sprites.has(item));
    const side = sideFor(this.gap * this.view.scale);
    const [page, blocked] = [this.view.page(), this.blocked()];
    const layout = layOut({ at, pictured, plain, widths, radius, page, blocked, side });
    this.pictured = pictured.filter((item) => layout.shifts.has(item));
    this.level.fill(NEVER);
    for (const item of this.pictured) this.level[item] = 0;
    Object.assign(this, { names: layout.names, leads: layout.leads, shifts: layout.shifts, fewSide: layout.side });
  }

  private choosePictures(at: (item: number) => Offset, clear: number[]): void {
    const key = `${[...this.hidden]} ${this.found} ${this.view.scale / this.view.zoom}`;
    if (key !== this.levelsDrawn) {
      this.levelsDrawn = key;
      const asking = clear.filter((item) => this.painter.sprites.has(item));
      this.pictured = [...asking].reverse(); // the most important is drawn last
      this.level = levels(this.xs, this.ys, asking, this.view.scale / this.view.zoom, this.gap);
    }
    const step = stepAt(this.view.zoom);
    const shown = this.around(clear).filter((item) => this.level[item]! <= step);
    const boxes = shown.map((item) => boxAround(at(item), 0, 0, this.side / 2));
    this.names = placeNames(at, shown, this.painter.widths, this.side / 2 - 3, this.view.page(), [...this.blocked(), ...boxes]);
  }

  /** The items on the page and as far again around it: of thousands, only those can show names. */
  private around(items: number[]): number[] {
    const { width, height } = this.view;
    return items.filter((i) => {
      const [x, y] = this.at(i);
      return x > -width && y > -height && x < 2 * width && y < 2 * height;
    });
  }

  private moved(zoomed: boolean): void {
    const quick = this.space.n <= QUICK || (!this.painter.sprites.any && this.space.n > FEW && this.space.n <= MANY);
    this.redraw(zoomed && quick); // others find their places when the reader rests
    clearTimeout(this.rest);
    if (zoomed || this.space.n > MANY) this.rest = window.setTimeout(() => this.redraw(), REST_MS);
  }

  private resized(): void {
    const { clientWidth, clientHeight } = this.parts.stage;
    if (clientWidth !== this.view.width || clientHeight !== this.view.height) this.resize();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.parts.stage;
    if (!clientWidth || !clientHeight) return; // not shown yet, as in a frame that is hidden
    const { any } = this.painter.sprites;
    const margin = any && this.space.n > FEW ? 52 : 72;
    this.view.resize(clientWidth, clientHeight, [Math.min(margin, clientWidth / 8), any ? margin : 32]); // names are beside points
    this.painter.resize(clientWidth, clientHeight);
    this.redraw();
  }

  /** Items along the axes chosen; a single dimension has its swarm for y. */
  private positions(): [Float64Array, Float64Array] {
    const { space } = this;
    const { swarm } = space.contents;
    const xs = space.along(space.axes[this.axes[0]!]!);
    const up = space.axes[this.axes[1]!];
    return [xs, swarm ? Float64Array.from(swarm) : up ? space.along(up) : new Float64Array(space.n)];
  }

  private listen(): void {
    const { canvas, tools, field, list, table, stage } = this.parts;
    const { signal } = this.ended;
    const place = (event: MouseEvent): [number, number] => {
      const frame = stage.getBoundingClientRect();
      return [event.clientX - frame.left, event.clientY - frame.top];
    };
    canvas.addEventListener("pointermove", (event) => {
      if (event.pointerType === "mouse" && !event.buttons) this.hover(this.nearest(...place(event), 16));
    });
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("click", (event) => {
      const fine = (event as PointerEvent).pointerType === "mouse";
      this.pin(this.nearest(...place(event), fine ? 16 : 28));
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.parts.whole.addEventListener("keydown", (event) => event.key === "Escape" && this.pin(null));
    document.addEventListener("keydown", (event) => event.key === "Escape" && event.target === document.body && this.pin(null), { signal });
    let next = 0;
    field.addEventListener("input", () => {
      next = 0;
      this.search(field.value);
    });
    tools.addEventListener("submit", (event) => {
      event.preventDefault(); // Enter walks through the items found
      if (this.found?.length) this.visit(this.found[next++ % this.found.length]!);
    });
    list.addEventListener("toggle", () => list.open && drawTable(this, table));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.painter.dress();
      this.carded = "";
      drawLegend(this, this.parts.legend);
      this.redraw();
    }, { signal });
  }

  private key(event: KeyboardEvent): void {
    const { view } = this;
    const does: Record<string, () => void> = {
      ArrowLeft: () => view.move(KEY_STEP, 0),
      ArrowRight: () => view.move(-KEY_STEP, 0),
      ArrowUp: () => view.move(0, KEY_STEP),
      ArrowDown: () => view.move(0, -KEY_STEP),
      "+": () => this.zoom(1.4),
      "=": () => this.zoom(1.4),
      "-": () => this.zoom(1 / 1.4),
      "0": () => view.reset(),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !does[event.key]) return;
    event.preventDefault();
    does[event.key]!();
  }
}
