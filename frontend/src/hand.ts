/** What a few numbers tell of how a question is answered: by a hand, or by a program. */
import type { Hand } from "./protocol";

type Point = readonly [x: number, y: number];

const INPUT = ["pointerdown", "keydown", "click"] as const;

/** One for the whole page, as a mouse rests where the question before left it. */
export class HandWatch {
  private pointer: Point | null = null;
  private from: Point | null = null;
  private way: number | null = null;
  private moves = 0;
  private synthetic = 0;
  private pastes = 0;

  constructor() {
    const listen = <K extends keyof WindowEventMap>(type: K, act: (event: WindowEventMap[K]) => void) =>
      window.addEventListener(type, act, { capture: true, passive: true });
    for (const type of INPUT) listen(type, (event) => {
      this.synthetic += Number(!event.isTrusted);
    });
    listen("pointermove", (event) => this.move(event));
    listen("pointerdown", (event) => this.press(event));
    listen("paste", () => void this.pastes++);
  }

  /** A question comes. */
  begin(): void {
    [this.from, this.way, this.moves, this.synthetic] = [this.pointer, null, 0, 0];
  }

  /** What was seen since. */
  end(): Hand {
    const { moves, synthetic, way } = this;
    return { moves, synthetic, way, driven: navigator.webdriver === true };
  }

  /** How often something was pasted since this was asked before. */
  pasted(): number {
    const times = this.pastes;
    this.pastes = 0;
    return times;
  }

  private move(event: PointerEvent): void {
    if (event.pointerType !== "mouse") return;
    this.pointer = [event.clientX, event.clientY];
    this.moves += 1;
  }

  private press(event: PointerEvent): void {
    if (event.pointerType !== "mouse") return;
    const [x, y] = [event.clientX, event.clientY];
    this.way = this.from && Math.round(Math.hypot(x - this.from[0], y - this.from[1]));
    this.pointer = [x, y];
  }
}
