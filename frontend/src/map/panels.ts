/** The parts of the page around the map: legend, axes, card and table. */
import { button, element } from "./dom";
import type { SimilarityMap } from "./map";
import type { Class } from "./data";
import type { Neighbour, Space } from "./space";

const ROWS = 500; // of the table at once

export function swatch(map: SimilarityMap, own: Class): HTMLElement {
  const made = element("i", { className: `swatch ${map.space.styles.shape[own.style]}` });
  made.style.setProperty("--colour", map.painter.colours[own.style]!);
  return made;
}

export function drawLegend(map: SimilarityMap, list: HTMLElement): void {
  const entries = (map.space.contents.classes ?? []).map((own, c) => {
    const toggle = button({ title: own.name }, () => {
      map.toggle(c);
      toggle.ariaPressed = String(!map.hidden.has(c));
    }, swatch(map, own), element("b", { textContent: own.name }));
    toggle.ariaPressed = String(!map.hidden.has(c));
    return element("li", {}, toggle);
  });
  if (map.space.flagged.size) {
    const note = element("span", {}, element("i", { className: "swatch hollow" }), "in no judgment");
    entries.push(element("li", {}, note));
  }
  list.replaceChildren(...entries);
  list.hidden = !entries.length;
}

export function drawAxes(map: SimilarityMap, holder: HTMLElement): void {
  holder.hidden = map.space.k < 3;
  ["x", "y"].forEach((name, which) => {
    const select = element("select", { onchange: () => map.turn(which, Number(select.value)) });
    for (const [i, axis] of map.space.axes.entries()) select.append(new Option(axis.name, String(i), false, i === which));
    holder.append(element("label", {}, `${name} `, select));
  });
}

function number(value: number): string {
  return String(Number(value.toPrecision(3))).replace("-", "−");
}

function coordinates({ points, k }: Space, item: number): string {
  const shown = Array.from(points.subarray(item * k, item * k + Math.min(k, 6)), number).join(", ");
  return `at ${shown}${k > 6 ? ` and ${k - 6} more` : ""}`;
}

/** What a screen reader is told of the item that is chosen. */
export function inWords(map: SimilarityMap, item: number, near: Neighbour[]): string {
  const { names } = map.space.contents;
  const own = map.space.classOf(item);
  const nearest = near.map((other) => names[other.item]).join(", ");
  return `${names[item]}${own ? `, ${own.name}` : ""}. ${nearest ? `Nearest: ${nearest}.` : ""}`;
}

export function drawCard(map: SimilarityMap, card: HTMLElement, item: number | null, near: Neighbour[], pinned: boolean): void {
  card.hidden = item === null;
  card.classList.toggle("pinned", pinned);
  if (item === null) return;
  const { space } = map;
  const own = space.classOf(item);
  const { names } = space.contents;
  const picture = (i: number, side: number) => map.painter.sprites.cut(i, side);
  const strip = near.map((other) => element("li", {}, button(
    { title: names[other.item]! }, () => map.visit(other.item),
    picture(other.item, 64), element("b", { textContent: names[other.item]! }),
    element("small", { textContent: number(other.distance) }),
  )));
  card.replaceChildren(...[
    button({ className: "close", textContent: "×", ariaLabel: "Close" }, () => map.pin(null)),
    picture(item, 96),
    element("h2", { textContent: names[item]! }),
    own && element("div", { className: "class" }, swatch(map, own), own.name),
    element("p", { className: "at", textContent: coordinates(space, item) }),
    space.flagged.has(item) && element("p", { textContent: "No judgment mentions it: it stands at the centre." }),
    strip.length && element("h3", { textContent: space.k > 2 ? `Nearest in all ${space.k} dimensions` : "Nearest" }),
    element("ol", { className: map.painter.sprites.any ? "pictured" : "" }, ...strip),
  ].filter((part) => part instanceof Node));
}

/** Beside the point on a wide page, away from its neighbours; the style sheet docks it below on a narrow one. */
export function placeCard(card: HTMLElement, stage: HTMLElement, [x, y]: [number, number], near: [number, number][], gap: number): void {
  const [width, height] = [card.offsetWidth, card.offsetHeight];
  const [right, left] = [x + gap, x - gap - width];
  const leftwards = near.filter((at) => at[0] > x).length > near.length / 2;
  const fits = (edge: number) => edge > 8 && edge + width < stage.clientWidth - 8;
  const edge = (leftwards ? [left, right] : [right, left]).find(fits) ?? right;
  const top = Math.min(Math.max(y - height / 3, 8), stage.clientHeight - height - 8);
  const inside = Math.min(Math.max(edge, 8), stage.clientWidth - width - 8);
  card.style.transform = `translate(${Math.round(inside)}px, ${Math.round(Math.max(top, 8))}px)`;
}

/** The items as a table: all, or those that the search found. */
export function drawTable(map: SimilarityMap, holder: HTMLElement): void {
  const { space } = map;
  const { names, classes } = space.contents;
  const wanted = map.found ?? Array.from(names.keys()).filter((item) => space.placed(item));
  const numbers = Array.from({ length: space.k }, (_, c) => c);
  const titles = ["item", ...(classes ? ["class"] : []), ...numbers.map((c) => `dimension ${c + 1}`)];
  const rows = wanted.slice(0, ROWS).map((item) => element("tr", {},
    element("td", {}, button({ textContent: names[item]! }, () => map.visit(item))),
    classes && element("td", { textContent: space.classOf(item)!.name }),
    ...numbers.map((c) => element("td", { className: "number", textContent: number(space.points[item * space.k + c]!) })),
  ));
  const head = element("tr", {}, ...titles.map((title) => element("th", { scope: "col", textContent: title })));
  const rest = wanted.length - rows.length;
  holder.replaceChildren(
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)),
    rest ? element("p", { textContent: `and ${rest.toLocaleString("en")} more: find them by name above.` }) : "",
  );
}
