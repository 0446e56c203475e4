/** Triplet and one of N: which option is most similar to the head? */
import { show } from "../clock";
import type { Scene } from "../scene";
import { data, parameters, version } from "./parameters";
import { QuestionPlugin, type Shown } from "./question";

const info = { name: "most-similar", version, parameters, data } as const;

export default class MostSimilar extends QuestionPlugin {
  static readonly info = info;

  protected async present(scene: Scene): Promise<Shown> {
    scene.layTiles(true);
    return { at: await show(() => scene.reveal()), timing: null };
  }
}
