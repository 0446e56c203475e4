/** The items where the last fit put them, in the map that fits write too. */
import type { MapData } from "../map/data";
import type { SimilarityMap } from "../map/map";

let shown: SimilarityMap | null = null;
let focused: Element | null = null; // last
document.addEventListener("focusin", ({ target }) => (focused = target as Element));

/** Put the map into a figure; one that follows another shows the same part of it. */
export function drawMap(figure: HTMLElement, data: MapData): Element | null {
  if (figure.querySelector(".space")) return null; // it follows the size of its figure by itself
  const holder = document.createElement("div");
  holder.className = "space";
  holder.dataset["embedded"] = "";
  void import("../map/map").then(({ mountMap }) => {
    const map = mountMap(holder, data);
    if (shown) follow(map, shown);
    shown?.close();
    globalThis.similarityMap = shown = map;
  });
  return holder;
}

function follow(map: SimilarityMap, before: SimilarityMap): void {
  map.view.follow(before.view);
  map.doubt(before.doubted);
  if (document.activeElement !== document.body || !before.root.contains(focused)) return;
  const control = ".map-doubt input";
  if (focused!.matches(control)) map.root.querySelector<HTMLElement>(control)?.focus({ preventScroll: true });
}
