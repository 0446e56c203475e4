/** A circle, and things that are moved into it by mouse, finger or keyboard. */
import { h } from "../dom";
import { blank } from "../media";
import type { Item } from "../protocol";
import { mirrored, say } from "../strings";
import { closer } from "../sizes";
import { fitText } from "../text";
import { again, counted, playsOf, triangle } from "../tile";
import { free, isInside, layOut, reach, rounded, within, type Point, type Room } from "./room";

const STEP = 0.04; // of the radius, by an arrow
const LEAP = 0.2; // with Shift
const HOLD_MS = 350; // until what is held is shown larger
const STILL_PX = 6; // a hand that holds still moves less
const WORDS = 1.7; // width over height of a word

interface Piece {
  element: HTMLButtonElement;
  name: string;
  media: HTMLMediaElement | null; // a sound or a film
  at: Point | null; // in units of the radius; null: still outside
}

type Listen = <K extends keyof HTMLElementEventMap>(
  name: K,
  heard: (event: HTMLElementEventMap[K]) => void,
) => void;

interface Drag {
  piece: Piece;
  id: number; // of the pointer
  grip: Point; // from the pointer to the middle of the piece, in pixels
  start: Point;
  now: Point; // where the piece is, in pixels from the middle of the circle
  tray: number | null; // where the tray was, if it is that which is moved
}

export class Board {
  readonly field = h("div", { class: "field board" });
  private readonly circle = h("div", { class: "circle", "aria-hidden": "true" });
  private readonly closer = h("div", { class: "closer", "aria-hidden": "true" });
  private readonly rail = h("div", { class: "rail", "aria-hidden": "true" }); // where the tray is
  private readonly pieces: Piece[];
  private readonly moves: { piece: Piece; from: Point | null }[] = [];
  private room!: Room;
  private drag: Drag | null = null;
  private frame = 0;
  private front = 1;
  private hold = 0;
  private scrolled = 0; // of the tray, in pixels

  constructor(
    items: Item[],
    media: (n: number) => HTMLElement | undefined,
    private readonly tell: (text: string) => void,
    private readonly changed: () => void,
    signal: AbortSignal,
  ) {
    this.pieces = items.map((item, n) => piece(item, n, media(n) ?? blank(item)));
    const elements = this.pieces.map(({ element }) => element);
    const states = ["outside", "inside"].map((state) =>
      h("span", { class: "unseen", id: `arrange-${state}` }, say(`arrange.${state}`)),
    );
    const group = h("div", { role: "group", "aria-labelledby": "prompt" }, ...elements);
    this.field.append(this.circle, group, this.rail, this.closer, ...states);
    for (const one of this.pieces) this.listen(one, signal);
    window.addEventListener("resize", () => this.lay(), { signal });
    const turned = ({ deltaX, deltaY }: WheelEvent) => this.scroll(this.scrolled + deltaX + deltaY);
    this.field.addEventListener("wheel", turned, { signal, passive: true });
  }

  /** Give circle and pieces their size; what is in the circle stays where it is in it. */
  lay(): void {
    const { clientWidth, clientHeight } = this.field;
    const text = this.pieces.every(({ element }) => element.matches(".of-text"));
    this.room = layOut(clientWidth, clientHeight, this.pieces.length, text ? WORDS : 1);
    if (mirrored()) this.room.slots = this.room.slots.map(({ x, y }) => ({ x: -x, y }));
    this.field.style.setProperty("--lift", `${this.room.lift}px`);
    this.field.style.setProperty("--diameter", `${2 * this.room.radius}px`);
    this.field.style.setProperty("--width", `${this.room.width}px`);
    this.field.style.setProperty("--height", `${this.room.height}px`);
    this.field.classList.add("still");
    this.scroll(this.scrolled);
    fitText(this.field);
    void this.field.offsetWidth; // all lie where they belong before anything moves again
    this.field.classList.remove("still");
  }

  /** How many are still outside. */
  get left(): number {
    return this.pieces.filter(({ at }) => at === null).length;
  }

  get canUndo(): boolean {
    return this.moves.length > 0;
  }

  /** Where each lies, x to the right and y up; null while one is outside, or all on one spot. */
  get places(): [number, number][] | null {
    if (this.left) return null;
    const places = this.pieces.map(({ at }) => rounded({ x: at!.x, y: -at!.y }));
    return new Set(places.map(String)).size > 1 ? places : null;
  }

  /** How often each sound or film was played; null without any. */
  get plays(): number[] | null {
    return playsOf(this.pieces.map(({ element }) => element));
  }

  undo(): void {
    const last = this.moves.pop();
    if (!last || this.drag) return;
    last.piece.at = last.from;
    this.scroll(this.scrolled);
    this.tell(say("arrange.undone", { name: last.piece.name }));
    this.changed();
  }

  private listen(one: Piece, signal: AbortSignal): void {
    const on: Listen = (name, heard) => one.element.addEventListener(name, heard, { signal });
    on("pointerdown", (event) => this.grab(one, event));
    on("pointermove", (event) => this.pull(event));
    on("pointerup", (event) => this.drop(event));
    on("pointercancel", () => this.letGo());
    // no gesture of the browser's own begins: after a quick flick it would swallow the next tap
    const touched = (event: TouchEvent) => event.preventDefault();
    one.element.addEventListener("touchstart", touched, { signal, passive: false });
    on("contextmenu", (event) => event.preventDefault()); // of a finger that holds
    on("keydown", (event) => this.press(one, event));
    on("click", (event) => void (event.detail === 0 && this.put(one)));
    on("focus", () => one.element.matches(":focus-visible") && this.attend(one));
    if (one.media) this.sound(one, one.media, on);
    on("blur", () => this.enlarge(null));
  }

  /** A sound or film plays while a mouse is over it, or from a touch or the focus on. */
  private sound(one: Piece, media: HTMLMediaElement, on: Listen): void {
    const play = () => void (this.drag || again(media)); // another one is being moved over it
    const byMouse = ({ pointerType }: PointerEvent) => pointerType === "mouse";
    on("pointerenter", (event) => void (byMouse(event) && play()));
    on("pointerleave", (event) => void (byMouse(event) && !this.drag && media.pause()));
    on("pointerdown", (event) => void (byMouse(event) || again(media)));
    on("focus", () => void (one.element.matches(":focus-visible") && play()));
    on("blur", () => media.pause());
    const show = () => one.element.classList.toggle("playing", !media.paused);
    for (const type of ["play", "pause", "ended"]) media.addEventListener(type, show);
  }

  // ---- by pointer

  private grab(one: Piece, event: PointerEvent): void {
    if (event.button !== 0 || !event.isPrimary || this.drag) return;
    one.element.setPointerCapture(event.pointerId);
    const [at, start] = [this.pixels(one), { x: event.clientX, y: event.clientY }];
    const grip = { x: at.x - start.x, y: at.y - start.y };
    this.drag = { piece: one, id: event.pointerId, grip, start, now: at, tray: null };
    this.raise(one);
    one.element.classList.add("grabbed");
    this.hold = window.setTimeout(() => {
      this.hold = 0; // what is held long is no longer the tray
      this.enlarge(one);
    }, HOLD_MS);
  }

  private pull(event: PointerEvent): void {
    const drag = this.drag;
    if (!drag || event.pointerId !== drag.id) return;
    const { grip, start } = drag;
    const [dx, dy] = [event.clientX - start.x, event.clientY - start.y];
    drag.now = { x: event.clientX + grip.x, y: event.clientY + grip.y };
    if (Math.hypot(dx, dy) > STILL_PX) {
      const along = Math.abs(dy) < Math.min(Math.abs(dx), this.room.height / 2);
      if (this.hold && along && this.span && !drag.piece.at) drag.tray = this.scrolled;
      if (!along) drag.tray = null; // out of the tray: it is dragged
      this.field.classList.toggle("still", drag.tray !== null);
      this.release();
    }
    if (drag.tray !== null) return this.scroll(drag.tray - this.forth * dx);
    if (!this.frame) this.frame = requestAnimationFrame(() => this.follow());
  }

  /** At most once a frame, and nothing but one transform. */
  private follow(): void {
    this.frame = 0;
    if (this.drag && this.drag.tray === null) shift(this.drag.piece.element, this.drag.now);
  }

  private drop(event: PointerEvent): void {
    const drag = this.drag;
    if (!drag || event.pointerId !== drag.id) return;
    const { start, grip, piece: one, tray } = drag;
    const moved = tray === null && (event.clientX !== start.x || event.clientY !== start.y);
    const { radius } = this.room;
    const at = { x: (event.clientX + grip.x) / radius, y: (event.clientY + grip.y) / radius };
    this.letGo();
    if (!moved) return;
    if (isInside(at)) this.move(one, at, "arrange.put");
    else this.tell(say("arrange.back", { name: one.name }));
  }

  /** What was grabbed is where it came from. */
  private letGo(): void {
    if (!this.drag) return;
    const { piece: one } = this.drag;
    this.drag = null;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.release();
    one.element.classList.remove("grabbed");
    this.field.classList.remove("still");
    this.place(one);
  }

  private release(): void {
    clearTimeout(this.hold);
    this.hold = 0;
    this.enlarge(null);
  }

  // ---- by keyboard

  private press(one: Piece, event: KeyboardEvent): void {
    if (event.key === "Escape") this.letGo();
    const arrow = ARROWS[event.key];
    if (!arrow || event.ctrlKey || event.altKey || event.metaKey || this.drag) return;
    event.preventDefault();
    if (!one.at) return this.put(one);
    const step = event.shiftKey ? LEAP : STEP;
    const at = within({ x: one.at.x + step * arrow.x, y: one.at.y + step * arrow.y });
    this.move(one, at, "arrange.at");
  }

  /** Into the middle, beside what lies there. */
  private put(one: Piece): void {
    if (one.at || this.drag) return;
    const taken = this.pieces.flatMap(({ at }) => at ?? []);
    this.move(one, free(taken, this.room.width / this.room.radius / 1.5), "arrange.put");
  }

  // ---- both

  private move(one: Piece, at: Point, said: string): void {
    this.moves.push({ piece: one, from: one.at });
    one.at = at;
    this.raise(one);
    this.place(one);
    if (this.room.rows) this.scroll(this.scrolled); // those that wait close the gap
    this.changed();
    const percent = (x: number) => Math.round(100 * x) || 0;
    const values = { name: one.name, x: percent(at.x), y: percent(-at.y), n: this.left };
    this.tell(say(said, values));
  }

  private raise(one: Piece): void {
    this.front += 1;
    one.element.style.zIndex = String(this.front);
  }

  private pixels(one: Piece): Point {
    const { radius, slots, rows } = this.room;
    if (one.at) return { x: radius * one.at.x, y: radius * one.at.y };
    const waiting = rows ? this.pieces.filter(({ at }) => at === null) : this.pieces;
    const { x, y } = slots[waiting.indexOf(one)] ?? { x: 0, y: 0 };
    return { x: x - this.forth * this.scrolled, y };
  }

  /** The way that the tray goes on: 1 to the right. */
  private get forth(): number {
    return mirrored() ? -1 : 1;
  }

  /** How far the tray can be scrolled. */
  private get span(): number {
    return reach(this.room, this.left, this.field.clientWidth);
  }

  /** Bring the tray to a place, and everything to where it belongs. */
  private scroll(to: number): void {
    const { span, field } = this;
    this.scrolled = Math.max(0, Math.min(span, to));
    for (const one of this.pieces) if (one !== this.drag?.piece || this.drag.tray !== null) this.place(one);
    const whole = field.clientWidth + span;
    this.rail.hidden = !span;
    this.rail.style.width = `${(100 * field.clientWidth) / whole}%`;
    this.rail.style.insetInlineStart = `${(100 * this.scrolled) / whole}%`;
  }

  /** One has the focus: it is scrolled to, and shown larger. */
  private attend(one: Piece): void {
    const beyond = Math.abs(this.pixels(one).x) + this.room.width / 2 - this.field.clientWidth / 2;
    const side = Math.sign(this.pixels(one).x) * this.forth;
    if (!one.at && beyond > 0) this.scroll(this.scrolled + side * beyond);
    this.enlarge(one);
  }

  private place(one: Piece): void {
    shift(one.element, this.pixels(one));
    const state = one.at ? "arrange-inside" : "arrange-outside";
    one.element.setAttribute("aria-describedby", state);
  }

  /** Show one larger, in the corner that is farthest from it; null: none. */
  private enlarge(one: Piece | null): void {
    this.closer.replaceChildren();
    const picture = one?.element.querySelector("img");
    if (!one || !picture) return;
    const { x, y } = this.drag?.now ?? this.pixels(one);
    this.closer.dataset["corner"] = (y > 0 ? "top" : "bottom") + (x > 0 ? "-left" : "-right");
    this.closer.append(closer(picture));
  }
}

const NAMES = { image: "arrange.picture", text: "arrange.picture", audio: "arrange.sound", video: "arrange.film" } as const;

function piece(item: Item, n: number, element: HTMLElement): Piece {
  const name = item.alt || item.text || say(NAMES[item.type], { place: n + 1 });
  if (element instanceof HTMLImageElement) element.alt = "";
  const media = element instanceof HTMLMediaElement ? element : null;
  if (media) counted(media);
  const look = { class: `tile piece of-${item.type}`, type: "button", "aria-label": name };
  return { element: h("button", look, element, media && triangle()), name, media, at: null };
}

function shift(element: HTMLElement, { x, y }: Point): void {
  element.style.transform = `translate3d(${x.toFixed(1)}px, ${y.toFixed(1)}px, 0)`;
}

const ARROWS: Record<string, Point> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};
