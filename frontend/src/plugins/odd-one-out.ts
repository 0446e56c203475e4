/** Odd one out: which option is least like the others? */
import { show } from "../clock";
import type { Scene } from "../scene";
import { data, parameters, version } from "./parameters";
import { QuestionPlugin, type Shown } from "./question";

const info = { name: "odd-one-out", version, parameters, data } as const;

export default class OddOneOut extends QuestionPlugin {
  static readonly info = info;

  protected async present(scene: Scene): Promise<Shown> {
    scene.layTiles(false);
    return { at: await show(() => scene.reveal()), timing: null };
  }
}
