/** Requests that must succeed before anything else can happen. */
import { Refusal } from "./api";
import type { Frame } from "./frame";
import type { Backoff } from "./backoff";
import { say } from "./strings";

/** These are the end: trying again would not change them. */
const FINAL = ["closed", "full", "second_entry", "bound", "excluded", "preview", "unknown_study", "withdrawn", "erased"];

/** What is no error has a title of its own. */
const TITLES: Record<string, string> = { paused: "paused.title", full: "stopped.title", closed: "stopped.title" };

export class Retry {
  /** `lost` takes over where the token is not known any more. */
  constructor(
    readonly frame: Frame,
    readonly backoff: Backoff,
    private readonly lost: () => Promise<never>,
  ) {}

  /** Ask until it succeeds; the participant is asked where waiting does not help. */
  async until<T>(request: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const reply = await request();
        this.backoff.reset();
        this.frame.warn(null);
        return reply;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        await this.recover(error);
        if (error.status === 422) throw error; // the same would be refused again
      }
    }
  }

  /** What is to be done before the next try. */
  async recover(refusal: Refusal): Promise<void> {
    if (refusal.code === "unknown_token") return this.lost();
    if (refusal.passing) {
      this.frame.warn(say("waiting"));
      return this.backoff.wait(refusal);
    }
    const buttons = FINAL.includes(refusal.code) ? [] : [say("retry")];
    await this.frame.ask(say(TITLES[refusal.code] ?? "error.title"), this.frame.explain(refusal), buttons);
  }
}
