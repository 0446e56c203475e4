/** Rating: how similar are the options, on a scale of labels below them? */
import { show } from "../clock";
import type { Scene } from "../scene";
import { data, parameters, version, type Parameters } from "./parameters";
import { QuestionPlugin, type Shown } from "./question";

const info = { name: "rating", version, parameters, data } as const;

/** What `extra` holds: the points of the scale, and what the first and the last one mean. */
interface Scale {
  labels: string[];
  low: string;
  high: string;
}

export default class Rating extends QuestionPlugin {
  static readonly info = info;

  protected override labels(trial: Parameters): string[] {
    return (trial.extra as unknown as Scale).labels;
  }

  protected async present(scene: Scene, trial: Parameters): Promise<Shown> {
    const { low, high } = trial.extra as unknown as Scale;
    scene.layRated(low, high);
    return { at: await show(() => scene.reveal()), timing: null };
  }
}
