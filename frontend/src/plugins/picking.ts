/** Ranking and picking: which options are the most similar to the head, in order or together? */
import { ParameterType } from "jspsych";
import { show } from "../clock";
import { PickingScene, type Picks } from "../picking";
import type { Scene } from "../scene";
import { data, parameters, version, type Parameters } from "./parameters";
import { QuestionPlugin, type Shown } from "./question";

const info = {
  name: "picking",
  version,
  parameters,
  data: {
    ...data,
    /** The places of what was picked, the most similar first where it is ranked; null: skipped. */
    response: { type: ParameterType.OBJECT },
  },
} as const;

export default class Picking extends QuestionPlugin {
  static readonly info = info;

  protected override scene(display: HTMLElement, trial: Parameters): Scene {
    return new PickingScene(display, trial, wanted(trial));
  }

  protected async present(scene: Scene): Promise<Shown> {
    scene.layTiles(true);
    return { at: await show(() => scene.reveal()), timing: null };
  }

  protected override draw(trial: Parameters) {
    const places = this.jsPsych.randomization.shuffle(trial.options.map((_, place) => place));
    const response = { picked: places.slice(0, wanted(trial).picks) };
    return { ...super.draw(trial), chosen: null, response };
  }
}

function wanted(trial: Parameters): Picks {
  return trial.extra as unknown as Picks;
}
