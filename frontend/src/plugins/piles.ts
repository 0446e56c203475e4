/** Piles: the options are sorted into piles of what belongs together. */
import { ParameterType } from "jspsych";
import { show } from "../clock";
import { PilesScene } from "../sorting";
import type { Scene } from "../scene";
import { data, parameters, version, type Parameters } from "./parameters";
import { QuestionPlugin, type Shown } from "./question";

const info = {
  name: "piles",
  version,
  parameters,
  data: {
    ...data,
    /** The number of the pile of each option; null: skipped. */
    response: { type: ParameterType.OBJECT },
  },
} as const;

export default class Piles extends QuestionPlugin {
  static readonly info = info;

  protected override scene(display: HTMLElement, trial: Parameters): Scene {
    return new PilesScene(display, trial);
  }

  protected async present(scene: Scene): Promise<Shown> {
    (scene as PilesScene).layPiles();
    return { at: await show(() => scene.reveal()), timing: null };
  }

  protected override draw(trial: Parameters) {
    const piles = trial.options.map(() => this.jsPsych.randomization.randomInt(0, 2));
    return { ...super.draw(trial), chosen: null, response: { piles } };
  }
}
