/** Match to sample: a sample, a blank or a mask, two alternatives. Which one was it? */
import { show, showAfter } from "../clock";
import { noise } from "../noise";
import type { Timing } from "../protocol";
import type { Scene } from "../scene";
import { data, parameters, version, type Parameters } from "./parameters";
import { QuestionPlugin, type Shown } from "./question";

const info = { name: "match-to-sample", version, parameters, data } as const;

const AT_ONCE: Timing = {
  fixation_ms: 0,
  head_ms: null,
  gap_ms: 0,
  gap: "blank",
  options_ms: null,
};

export default class MatchToSample extends QuestionPlugin {
  static readonly info = info;
  protected override readonly arrowsChoose = true;

  protected async present(scene: Scene, trial: Parameters): Promise<Shown> {
    const timing = trial.timing ?? AT_ONCE;
    scene.layTiles(timing.head_ms === null);
    await scene.fixate(timing.fixation_ms);
    const shown = await this.sequence(scene, trial, timing);
    if (timing.options_ms !== null) {
      void showAfter(shown.at, timing.options_ms, () => scene.hide(...scene.options));
    }
    return shown;
  }

  /** The sample alone, the gap, the options; and how long the first two were really seen. */
  private async sequence(scene: Scene, trial: Parameters, timing: Timing): Promise<Shown> {
    const { head_ms, gap_ms } = timing;
    if (head_ms === null) return { at: await show(() => scene.reveal()), timing: null };
    const between = timing.gap === "mask" ? noise(trial.seed) : null;
    const shown = await show(() => scene.center(scene.head));
    let gone = shown;
    if (gap_ms > 0) gone = await showAfter(shown, head_ms, () => scene.center(between));
    const at = await showAfter(gone, gap_ms > 0 ? gap_ms : head_ms, () => scene.reveal());
    if (gap_ms <= 0) gone = at;
    return { at, timing: { head_ms: gone - shown, gap_ms: at - gone } };
  }
}
