/** The parts of the page: a dimension with its items, and an item with its dimensions. */
import { button, element } from "../map/dom";
import type { Sprites } from "../map/sprites";
import type { Contents, Dimension } from "./data";
import type { Names } from "./names";

const MORE = 16; // items that the button adds
const SIDE = 88; // of a picture

export interface Page {
  contents: Contents;
  names: Names;
  sprites: Sprites | null;
  largest: number; // loading
  show(item: number): void;
}

export function percent(share: number): string {
  return share < 0.01 ? "<1%" : `${Math.round(100 * share)}%`;
}

function figure(value: number): string {
  return value.toFixed(2).replace("-", "−");
}

export function headOf(page: Page, { number }: Dimension): string {
  return page.names.of(number).trim() || `Dimension ${number}`;
}

/** A dimension: its name, which the reader may write, what is known of it, and its items. */
export function dimensionPart(page: Page, one: Dimension, onname: () => void): HTMLElement {
  const list = element("ol", { className: "items" });
  const more = button({ className: "more" }, () => grow(MORE));
  const grow = (n: number) => {
    const first = list.children.length;
    const added = one.items.slice(first, first + n).map((_, rank) => itemPart(page, one, first + rank));
    list.append(...added);
    const left = one.items.length - list.children.length;
    more.hidden = left <= 0;
    const of = left > MORE ? ` of ${left.toLocaleString("en")}` : "";
    more.textContent = `${Math.min(left, MORE)} more${of}`;
    more.ariaLabel = `${more.textContent} items of dimension ${one.number}`;
  };
  grow(page.contents.top);
  return element(
    "section", { id: `dimension-${one.number}`, tabIndex: -1 },
    headPart(page, one, onname), knownPart(page, one), list, more,
  );
}

function headPart(page: Page, one: Dimension, onname: () => void): HTMLElement {
  const input = element("input", {
    id: `name-${one.number}`, value: page.names.of(one.number), maxLength: 200, autocomplete: "off",
    placeholder: "What do these have in common?",
  });
  input.oninput = () => {
    page.names.set(one.number, input.value);
    onname();
  };
  const label = element("label", { htmlFor: input.id, className: "unseen", textContent: `Name of dimension ${one.number}` });
  return element("div", { className: "head" }, element("h2", {}, element("span", { className: "unseen", textContent: "Dimension " }), String(one.number)), label, input);
}

function knownPart(page: Page, one: Dimension): HTMLElement {
  const { fits } = page.contents;
  const said = [`${percent(one.share)} of all loadings`, `${one.items.length.toLocaleString("en")} items`];
  const found = [
    one.again.seeds !== undefined && `r = ${figure(one.again.seeds)} from ${fits.seeds} other starts`,
    one.again.found_again !== undefined && `in ${one.again.found_again} of ${fits.splits} splits into halves`,
  ].filter(Boolean);
  if (found.length) said.push(`found again: ${found.join(", ")}`);
  const features = one.features.map(([name, r]) => `${name} ${figure(r)}`);
  return element(
    "div", { className: "known" },
    element("p", { textContent: said.join(" · ") }),
    features.length > 0 && element("p", { textContent: `r with features: ${features.join(", ")}` }),
  );
}

function itemPart(page: Page, one: Dimension, rank: number): HTMLElement {
  const item = one.items[rank]!;
  const name = page.contents.items[item]!;
  return element("li", {}, button(
    { title: name }, () => page.show(item),
    picture(page, item), element("b", { textContent: name }), barPart(page, one, rank),
  ));
}

/** The place of an item's picture, if it has one; it is filled now, or once the pictures are there. */
function picture(page: Page, item: number): HTMLElement | null {
  if (!page.sprites?.has(item)) return null;
  const place = element("span", { className: "picture" });
  place.dataset.item = String(item);
  fill(page.sprites, place);
  return place;
}

export function fill(sprites: Sprites, place: HTMLElement): void {
  const cut = sprites.cut(Number(place.dataset.item), SIDE);
  if (!cut) return;
  cut.ariaHidden = "true";
  place.replaceChildren(cut);
}

/** A loading as a bar, its spread over refits as a line over the end, and both in figures. */
function barPart(page: Page, one: Dimension, rank: number): HTMLElement {
  const part = (value: number) => `${Math.min(100, (100 * value) / page.largest)}%`;
  const bar = element("i", { className: "bar" });
  bar.style.setProperty("--loading", part(one.loadings[rank]!));
  const [lowest, highest] = [one.lowest?.[rank], one.highest?.[rank]];
  let said = one.loadings[rank]!.toFixed(2);
  if (lowest !== undefined && highest !== undefined) {
    bar.classList.add("spread");
    bar.style.setProperty("--lowest", part(lowest));
    bar.style.setProperty("--highest", part(highest));
    said += ` (${lowest.toFixed(2)} to ${highest.toFixed(2)})`;
  }
  return element("span", { className: "loading" }, bar, element("small", { textContent: said }));
}

/** An item: its picture, and its dimensions as bars, the largest loading first. */
export function cardPart(page: Page, item: number, close: () => void): Node[] {
  const found = page.contents.dimensions
    .map((one) => ({ one, rank: one.items.indexOf(item) }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => b.one.loadings[b.rank]! - a.one.loadings[a.rank]!);
  const rows = found.map(({ one, rank }) => element("li", {}, button(
    {}, () => go(one), element("b", { textContent: headOf(page, one) }), barPart(page, one, rank),
  )));
  return [
    button({ className: "close", textContent: "×", ariaLabel: "Close" }, close),
    picture(page, item),
    element("h2", { textContent: page.contents.items[item]! }),
    element("p", { textContent: rows.length ? `${rows.length} of ${page.contents.dimensions.length} dimensions` : "Nothing of any dimension." }),
    element("ol", {}, ...rows),
  ].filter((part) => part instanceof Node);
}

function go(one: Dimension): void {
  const section = document.getElementById(`dimension-${one.number}`)!;
  section.focus({ preventScroll: true });
  section.scrollIntoView({ block: "start" });
}
