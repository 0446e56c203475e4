/** The button that skips a question: it takes as long as an answer, so that nobody is paid to skip. */
import { h } from "./dom";
import { say } from "./strings";

const USUAL_MS = 2_000;
const LEAST_MS = 1_000;
const MOST_MS = 5_000;
const KEPT = 9;

/** How long somebody takes for an answer: the median of the last ones. */
export class Pace {
  private times: number[] = [];

  add(ms: number): void {
    this.times = [...this.times, ms].slice(-KEPT);
  }

  get ms(): number {
    const sorted = [...this.times].sort((a, b) => a - b);
    const median = sorted[sorted.length >> 1] ?? USUAL_MS;
    return Math.round(Math.min(MOST_MS, Math.max(LEAST_MS, median)));
  }
}

/** The button, which opens after that time; null where no question may be skipped. */
export function skipButton(trial: { skippable: boolean; skip_after: number }) {
  if (!trial.skippable) return null;
  const button = h("button", { class: "quiet skip", type: "button", disabled: true }, say("skip"));
  setTimeout(() => (button.disabled = false), trial.skip_after);
  return button;
}
