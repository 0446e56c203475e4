/** jsPsych's simulation of a trial: its data alone, or the trial as people see it. */
import type { JsPsych } from "jspsych";
import type { Data, Parameters } from "./parameters";

interface SimulationOptions {
  data?: Partial<Data>;
}

/** What somebody does who is not there: the rest of the data is the same for all trials. */
export type Drawn = Pick<Data, "chosen" | "response" | "rt" | "reason">;

/** A plugin that jsPsych can simulate. */
export abstract class Simulated {
  /** What a simulated person will do in this trial; null: somebody is there. */
  protected simulated: Data | null = null;

  constructor(protected readonly jsPsych: JsPsych) {}

  abstract trial(display: HTMLElement, trial: Parameters, on_load?: () => void): Promise<Data>;

  /** An answer at random, as fast as people give it. */
  protected abstract draw(trial: Parameters): Drawn;

  /** Answers at random; `data` in the options stands in for chance. */
  async simulate(
    trial: Parameters,
    mode: "data-only" | "visual",
    options: SimulationOptions,
    on_load?: () => void,
  ): Promise<Data> {
    const data: Data = {
      ...this.draw(trial),
      shown: Date.now(),
      input: "simulated",
      focus_losses: 0,
      unfocused_ms: 0,
      plays: null,
      timing: null,
      ...options.data,
    };
    if (mode === "visual") {
      this.simulated = data;
      return this.trial(this.jsPsych.getDisplayElement(), trial, on_load);
    }
    on_load?.();
    await trial.submit?.(data);
    return data;
  }
}
