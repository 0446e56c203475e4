/** Waiting before a request is tried again: longer each time, shorter when the network comes back. */
import type { Refusal } from "./api";

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

export class Backoff {
  private failures = 0;
  private wakers: (() => void)[] = [];

  constructor() {
    window.addEventListener("online", () => this.wake());
  }

  /** Until it is time to try again. What does not pass by itself waits for `wake` alone. */
  async wait(refusal: Refusal): Promise<void> {
    const backoff = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.failures++);
    const pause = refusal.after_ms ?? backoff * (0.5 + Math.random() / 2);
    await new Promise<void>((resolve) => {
      this.wakers.push(resolve);
      if (refusal.passing) setTimeout(resolve, pause);
    });
  }

  wake(): void {
    for (const waker of this.wakers.splice(0)) waker();
  }

  reset(): void {
    this.failures = 0;
  }
}
