/** Time as the participant sees it: paints, and whether the page was looked at. */
import type { Screen } from "./protocol";

const USUAL_FRAME_MS = 1000 / 60;
const LONGEST_FRAME_MS = 50;

function frame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

/**
 * Change the page at the beginning of a frame. Gives the time at which the change is on the screen:
 * the beginning of the next frame. (In a hidden page there are no frames: it waits.)
 */
export async function show(change: () => void): Promise<number> {
  await frame();
  change();
  return frame();
}

/**
 * The same, in the frame whose end is nearest to `ms` after `since`, an earlier such time. A frame
 * is taken to be as long as the shortest one since then: after a late frame the next may be in time.
 */
export async function showAfter(since: number, ms: number, change: () => void): Promise<number> {
  let [now, length, shortest] = [since, USUAL_FRAME_MS, LONGEST_FRAME_MS];
  while (now + 1.5 * length < since + ms) {
    const next = await frame();
    length = shortest = Math.min(shortest, next - now);
    now = next;
  }
  change();
  return frame();
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function screen(): Screen {
  return { width: innerWidth, height: innerHeight, ratio: devicePixelRatio };
}

/** Counts how often, and for how long, the participant was elsewhere. */
export class Attention {
  losses = 0;
  private away_ms = 0;
  private left: number | null = null;
  private readonly stop = new AbortController();

  constructor() {
    const { signal } = this.stop;
    window.addEventListener("blur", () => this.leave(), { signal });
    window.addEventListener("focus", () => this.back(), { signal });
    const look = () => (document.hidden ? this.leave() : this.back());
    document.addEventListener("visibilitychange", look, { signal });
    if (document.hidden) this.leave();
  }

  /** Milliseconds elsewhere; counting ends. */
  end(): number {
    this.back();
    this.stop.abort();
    return this.away_ms;
  }

  private leave(): void {
    if (this.left !== null) return;
    this.losses += 1;
    this.left = performance.now();
  }

  private back(): void {
    if (this.left === null) return;
    this.away_ms += performance.now() - this.left;
    this.left = null;
  }
}
