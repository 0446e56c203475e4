/** Things are sorted into piles: pressed, then a pile; dragged there; or by the number of a pile. */
import { h } from "./dom";
import { GivenScene } from "./given";
import type { Parameters } from "./plugins/parameters";
import type { Input } from "./scene";
import { say } from "./strings";
import { fitText } from "./text";

const LARGEST = 150; // pixels of a tile
const SMALLEST = 40;
const STEP = 5;
const MOVED_PX = 6; // a press moves less

export class PilesScene extends GivenScene {
  private readonly piles = new Map<number, number>(); // of each place that is sorted
  private readonly tray = h("div", { class: "tray" });
  private readonly heap = h("div", { class: "heap" });
  private held: number | null = null;
  private from: { x: number; y: number } | null = null;
  private dragged = false; // just now: what ends a drag is no press

  constructor(display: HTMLElement, trial: Parameters) {
    super(display, trial, "sorting");
    const { signal } = this.stop;
    this.options.forEach((option, place) => {
      option.addEventListener("pointerdown", (event) => this.grab(event, place), { signal });
      option.addEventListener("pointermove", (event) => this.pull(event, option), { signal });
      option.addEventListener("pointerup", (event) => this.drop(event, option), { signal });
      option.addEventListener("pointercancel", () => this.letGo(option), { signal });
    });
    window.addEventListener("resize", () => this.fit(), { signal });
  }

  /** Things above, piles below. */
  layPiles(): void {
    this.row.classList.replace("options", "sorted");
    this.row.replaceChildren(this.tray, this.heap);
    this.field.append(this.row);
    this.update();
  }

  protected override response(): Record<string, unknown> {
    return { piles: this.options.map((_, place) => this.piles.get(place)) };
  }

  protected override get missing(): number {
    return this.options.length - this.piles.size;
  }

  /** A thing is held until a pile is chosen, or it is pressed once more. */
  protected override chosen(place: number | null, event: Event, input: Input): void {
    if (place === null) return super.chosen(place, event, input);
    if (!this.dragged) this.hold(this.held === place ? null : place);
  }

  /** A number puts what has the focus, or is held, into that pile. */
  protected override digit(place: number): void {
    const at = this.held ?? this.options.indexOf(document.activeElement as HTMLElement);
    if (at >= 0 && place >= 0 && place <= this.last()) this.put(at, place);
  }

  /** The pile after those that there are: it is empty. */
  private last(): number {
    return Math.min(Math.max(-1, ...this.piles.values()) + 1, this.options.length - 1);
  }

  private hold(place: number | null): void {
    this.held = place;
    this.options.forEach((option, n) => {
      option.classList.toggle("chosen", n === place);
      option.setAttribute("aria-pressed", String(n === place));
    });
  }

  private put(place: number, pile: number): void {
    this.piles.set(place, pile);
    this.closeUp();
    this.hold(null);
    this.update();
    this.options[place]!.focus({ preventScroll: true });
    this.tell(say("pile.in", { name: this.names[place]!, n: this.piles.get(place)! + 1 }));
  }

  /** Piles are numbered from 0 on without gaps. */
  private closeUp(): void {
    const used = [...new Set(this.piles.values())].sort((a, b) => a - b);
    for (const [place, pile] of this.piles) this.piles.set(place, used.indexOf(pile));
  }

  protected override update(): void {
    super.update();
    const place = (n: number) => this.options.filter((_, at) => this.piles.get(at) === n);
    this.tray.replaceChildren(...this.options.filter((_, at) => !this.piles.has(at)));
    const piles = Array.from({ length: this.last() + 1 }, (_, n) => this.pile(n, place(n)));
    this.heap.replaceChildren(...piles);
    this.fit();
  }

  private pile(n: number, things: HTMLElement[]): HTMLElement {
    const name = things.length ? say("pile", { n: n + 1 }) : say("pile.new");
    const label = h("button", { class: "pile-name", type: "button" }, name);
    const box = h("div", { class: "pile", role: "group", "aria-label": name }, label, ...things);
    box.dataset["pile"] = String(n);
    box.addEventListener("click", (event) => {
      const thing = (event.target as HTMLElement).closest(".option");
      if (!thing && this.held !== null) this.put(this.held, n);
    });
    return box;
  }

  /** Tiles as large as the room allows. */
  private fit(): void {
    for (let size = LARGEST; size >= SMALLEST; size -= STEP) {
      this.field.style.setProperty("--width", `${size}px`);
      this.field.style.setProperty("--height", `${size}px`);
      if (this.row.scrollHeight <= this.field.clientHeight) break;
    }
    fitText(this.field);
  }

  // ---- by pointer

  private grab(event: PointerEvent, place: number): void {
    if (event.button !== 0 || !event.isPrimary) return;
    this.from = { x: event.clientX, y: event.clientY };
    this.options[place]!.setPointerCapture(event.pointerId);
  }

  private pull(event: PointerEvent, option: HTMLElement): void {
    if (!this.from) return;
    const [x, y] = [event.clientX - this.from.x, event.clientY - this.from.y];
    if (Math.hypot(x, y) > MOVED_PX) option.classList.add("grabbed");
    if (option.matches(".grabbed")) option.style.translate = `${x}px ${y}px`;
  }

  private drop(event: PointerEvent, option: HTMLElement): void {
    const moved = option.matches(".grabbed");
    this.letGo(option);
    if (!moved) return;
    const under = document.elementsFromPoint(event.clientX, event.clientY);
    const pile = under.map((one) => one.closest<HTMLElement>(".pile")).find((one) => one !== null);
    this.dragged = true;
    setTimeout(() => (this.dragged = false));
    if (pile) this.put(this.options.indexOf(option), Number(pile.dataset["pile"]));
  }

  private letGo(option: HTMLElement): void {
    this.from = null;
    option.classList.remove("grabbed");
    option.style.translate = "";
  }
}
