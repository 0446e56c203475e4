/** How evenly the screen draws while a question is shown. */
import type { Frames } from "./protocol";

const LONG = 1.5; // medians

export class FrameClock {
  private readonly intervals: number[] = [];
  private last: number | null = null;
  private handle = requestAnimationFrame((now) => this.next(now));

  /** What was seen until now; counting ends. */
  end(): Frames | null {
    cancelAnimationFrame(this.handle);
    const sorted = this.intervals.sort((one, other) => one - other);
    const n = sorted.length;
    if (!n) return null;
    const median = sorted[Math.floor(n / 2)]!;
    const long = sorted.filter((one) => one > LONG * median).length / n;
    return { median_ms: median, long, n };
  }

  private next(now: number): void {
    if (this.last !== null) this.intervals.push(now - this.last);
    this.last = document.visibilityState === "visible" ? now : null; // elsewhere there are none
    this.handle = requestAnimationFrame((later) => this.next(later));
  }
}
