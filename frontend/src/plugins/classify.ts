/** Classification: which of two labels fits the (noisy) image? */
import { show, showAfter } from "../clock";
import type { Scene } from "../scene";
import { data, parameters, version, type Parameters } from "./parameters";
import { QuestionPlugin, type Shown } from "./question";

const info = { name: "classify", version, parameters, data } as const;

export default class Classify extends QuestionPlugin {
  static readonly info = info;
  protected override readonly arrowsChoose = true;

  protected async present(scene: Scene, trial: Parameters): Promise<Shown> {
    scene.layLabels();
    await scene.fixate(trial.timing?.fixation_ms ?? 0);
    const at = await show(() => scene.reveal());
    const head_ms = trial.timing?.head_ms ?? null;
    if (head_ms !== null) void showAfter(at, head_ms, () => scene.hide(scene.head!));
    return { at, timing: null };
  }
}
