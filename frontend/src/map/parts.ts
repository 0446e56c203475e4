/** The elements of a map: made once, and filled as the reader goes on. */
import { button, element } from "./dom";
import { savePng, saveSvg } from "./exporting";
import type { Box } from "./names";
import type { SimilarityMap } from "./map";

const DOUBT = "Around each item, a circle with the standard deviation of its position as its radius, this number of dimensions being right; of thousands that overlap, some";
const DIRECTION = "Each arrow points to where a feature grows, or a word is used; the number is the share of the feature's variance that positions explain, or the correlation of the word's use with its prediction (↔: at either end)";

export type Parts = ReturnType<typeof buildParts>;

export function buildParts(map: SimilarityMap) {
  const part = (name: string) => ({ className: `map-${name}` });
  const { title } = map.space.contents;
  const words = `${title ? `${title}: a` : "A"} map of ${map.space.n} items, near each other means similar. ` +
    "Arrow keys move it, plus and minus zoom, 0 shows everything; the table below lists the items.";
  const canvas = element("canvas", { ...part("ground"), tabIndex: 0, role: "img", ariaLabel: words });
  const marks = element("canvas", { ...part("marks"), ariaHidden: "true" });
  const field = element("input", { type: "search", placeholder: "Find an item", ariaLabel: "Find an item", autocomplete: "off", spellcheck: false });
  const found = element("output");
  const axes = element("span", part("axes"));
  const doubts = element("input", { type: "checkbox", onchange: () => map.doubt(doubts.checked) });
  const doubtful = element("label", { ...part("doubt"), title: DOUBT, hidden: !map.space.contents.uncertainty }, doubts, "uncertainty");
  const directions = element("input", { type: "checkbox", checked: true, onchange: () => map.direct(directions.checked) });
  const directed = element("label", { ...part("doubt"), title: DIRECTION, hidden: !map.space.contents.arrows }, directions, "directions");
  const tools = element("form", { ...part("tools"), role: "search" }, axes, element("label", part("finder"), field, found), doubtful, directed);
  const legend = element("ul", { ...part("legend"), ariaLabel: "Classes" });
  const control = (name: string, sign: string, does: () => void) => button({ ariaLabel: name, title: name, textContent: sign }, does);
  const zoom = element("div", { ...part("zoom"), role: "group", ariaLabel: "Zoom" },
    control("Zoom in", "+", () => map.zoom(1.6)),
    control("Zoom out", "−", () => map.zoom(1 / 1.6)),
    control("Show everything", "⤢", () => map.view.reset()),
  );
  const card = element("section", { ...part("card"), hidden: true, ariaLabel: "Item" });
  const player = element("div", { ...part("player"), role: "group", ariaLabel: "Over time" });
  const unnamed = element("p", part("unnamed"));
  const stage = element("div", part("stage"), canvas, marks, unnamed, zoom, card);
  const table = element("div", part("table"));
  const list = element("details", part("list"), element("summary", { textContent: "Items as a table" }), table);
  const saves = element("p", part("saves"), "Save the view: ",
    button({ textContent: "PNG" }, () => savePng(map)), " ", button({ textContent: "SVG" }, () => saveSvg(map)));
  const said = element("p", { ...part("said"), role: "status" });
  const whole = element("div", { className: "similarity-map" }, tools, legend, stage, player, element("div", part("foot"), list, saves), said);
  map.root.append(whole);
  return { whole, canvas, marks, tools, field, found, doubts, axes, legend, card, player, stage, table, list, said, unnamed, zoom };
}

/** The box of an element on the stage. */
export function boxOf(part: HTMLElement, stage: HTMLElement): Box {
  const [box, frame] = [part.getBoundingClientRect(), stage.getBoundingClientRect()];
  return [box.left - frame.left, box.top - frame.top, box.right - frame.left, box.bottom - frame.top];
}
