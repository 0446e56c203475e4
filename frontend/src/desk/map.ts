/** The items where the last fit put them, in the map that fits write too. */
import type { SimilarityMap } from "../map/map";

export interface Map_ {
  names: string[];
  pictures: (string | null)[];
  positions: number[][];
}

let shown: SimilarityMap | null = null;

/** Put the map into a figure; one that follows another shows the same part of it. */
export function drawMap(figure: HTMLElement, { names, pictures, positions }: Map_): Element | null {
  if (figure.querySelector(".space")) return null; // it follows the size of its figure by itself
  const holder = document.createElement("div");
  holder.className = "space";
  holder.dataset["embedded"] = "";
  void import("../map/map").then(({ mountMap }) => {
    const map = mountMap(holder, { names, images: pictures, points: positions });
    if (shown) map.view.follow(shown.view);
    shown?.close();
    shown = map;
  });
  return holder;
}
