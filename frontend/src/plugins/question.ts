/** What all kinds of question share: the clock, the answer and its feedback. */
import { Attention, pause } from "../clock";
import type { ClientReport } from "../protocol";
import { Scene } from "../scene";
import { sound } from "../sound";
import type { Data, Parameters } from "./parameters";
import { Simulated, type Drawn } from "./simulated";

const FEEDBACK_MS = 700;

/** When the answer's clock began, and how long the parts before it took. */
export interface Shown {
  at: number;
  timing: ClientReport["timing"];
}

/** A plugin of jsPsych but for its `info` (whose types there know of no defaults). */
export abstract class QuestionPlugin extends Simulated {
  /** Bring the question on the screen; resolves at the paint from which answers are timed. */
  protected abstract present(scene: Scene, trial: Parameters): Promise<Shown>;

  /** Whether arrow keys choose (left, right) rather than move between options. */
  protected readonly arrowsChoose: boolean = false;

  /** What people choose from, where it is not the options themselves. */
  protected labels(_trial: Parameters): string[] | null {
    return null;
  }

  protected scene(display: HTMLElement, trial: Parameters): Scene {
    return new Scene(display, trial, this.arrowsChoose, this.labels(trial));
  }

  async trial(display: HTMLElement, trial: Parameters, on_load?: () => void): Promise<Data> {
    const scene = this.scene(display, trial);
    on_load?.();
    const data = await this.answered(scene, trial);
    if (trial.reason && data.chosen !== null) {
      trial.keep?.(data);
      data.reason = this.simulated?.reason ?? (await scene.ask(trial.reason, data.chosen));
    }
    const right = (await trial.submit?.(data)) ?? null;
    if (right !== null) await this.tell(scene, data.chosen, right);
    scene.close();
    return data;
  }

  private async answered(scene: Scene, trial: Parameters): Promise<Data> {
    const attention = new Attention();
    const shown = await this.present(scene, trial);
    if (trial.given) {
      attention.end();
      return { ...trial.given };
    }
    if (this.simulated) scene.pickLater(this.simulated);
    const choice = await scene.choice(shown.at);
    return {
      chosen: choice.place,
      ...(choice.response && { response: choice.response }),
      rt: choice.at - shown.at,
      shown: performance.timeOrigin + shown.at,
      input: choice.input,
      unfocused_ms: attention.end(),
      focus_losses: attention.losses,
      plays: scene.plays,
      timing: shown.timing,
    };
  }

  protected draw(trial: Parameters): Drawn {
    const { randomization } = this.jsPsych;
    const last = (this.labels(trial) ?? trial.options).length - 1;
    return {
      chosen: randomization.randomInt(0, last),
      rt: randomization.sampleExGaussian(600, 80, 1 / 250, true),
      ...(trial.reason && { reason: "simulated" }),
    };
  }

  private async tell(scene: Scene, place: number | null, right: boolean): Promise<void> {
    scene.mark(place, right);
    sound(right);
    await pause(FEEDBACK_MS);
  }
}
