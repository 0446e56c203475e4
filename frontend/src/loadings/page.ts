/** Dimensions as a page of their own: what they are about, and a place for their names. */
import "./style.css";
import { button, element } from "../map/dom";
import { Sprites } from "../map/sprites";
import type { Contents } from "./data";
import { Names } from "./names";
import { cardPart, dimensionPart, fill, type Page } from "./parts";

const MATCHES = 8;

const contents = JSON.parse(document.getElementById("contents")!.textContent!) as Contents;
const main = document.querySelector("main")!;
const names = new Names(contents);
const card = element("aside", { className: "card", hidden: true, tabIndex: -1 });
const count = element("output", { className: "count" });
const list = element("div", { className: "dimensions" });
let shown: number | null = null;
let before: HTMLElement | null = null; // what had the focus when the card opened

const page: Page = {
  contents,
  names,
  sprites: contents.images ? new Sprites({ names: contents.items, points: [], images: contents.images }, draw) : null,
  largest: Math.max(...contents.dimensions.map((one) => Math.max(one.loadings[0] ?? 0, one.highest?.[0] ?? 0)), 1e-9),
  show,
};

/** Put the pictures into their places; whatever has the focus keeps it. */
function draw(): void {
  for (const place of document.querySelectorAll<HTMLElement>(".picture:empty")) fill(page.sprites!, place);
}

function named(): void {
  count.value = `${names.count} of ${contents.dimensions.length} named`;
  if (shown !== null) drawCard(shown);
}

function drawCard(item: number): void {
  card.replaceChildren(...cardPart(page, item, hide));
}

function show(item: number): void {
  if (shown === null) before = document.activeElement as HTMLElement | null;
  shown = item;
  drawCard(item);
  card.hidden = false;
  card.scrollTop = 0;
  card.ariaLabel = contents.items[item]!;
  card.focus({ preventScroll: true });
}

function hide(): void {
  shown = null;
  card.hidden = true;
  if (before?.isConnected) before.focus({ preventScroll: true });
}

/** The field that finds an item, and the list of those that match. */
function finder(): HTMLElement {
  const input = element("input", { type: "search", id: "finder", placeholder: "Find an item", autocomplete: "off" });
  const matches = element("ul", { className: "matches", hidden: true });
  const find = () => {
    const wanted = input.value.trim().toLowerCase();
    const found = wanted ? matching(wanted) : [];
    matches.replaceChildren(...found.map((item) => element("li", {}, button({ textContent: contents.items[item]! }, () => choose(item)))));
    if (wanted && !found.length) matches.append(element("li", { textContent: "No item is called that." }));
    matches.hidden = !wanted;
    return found;
  };
  const choose = (item: number) => {
    matches.hidden = true;
    input.focus();
    show(item);
  };
  input.oninput = find;
  input.onkeydown = ({ key }) => {
    if (key === "Enter") find().slice(0, 1).forEach(choose);
    if (key === "Escape") matches.hidden = true;
  };
  const label = element("label", { htmlFor: input.id, className: "unseen", textContent: "Find an item" });
  return element("div", { className: "finder" }, label, input, matches);
}

/** Items whose names have some letters, those first that begin with them. */
function matching(wanted: string): number[] {
  const at = contents.items.map((name) => name.toLowerCase().indexOf(wanted));
  const found = Array.from(at.keys()).filter((item) => at[item]! >= 0);
  return found.sort((a, b) => Math.sign(at[a]!) - Math.sign(at[b]!)).slice(0, MATCHES);
}

function saveNames(): void {
  const link = element("a", { href: URL.createObjectURL(new Blob([names.csv()], { type: "text/csv" })) });
  link.download = "names.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

document.addEventListener("keydown", ({ key }) => key === "Escape" && shown !== null && hide());
const saves = button({ textContent: "Download names (CSV)" }, saveNames);
main.append(element("div", { className: "tools" }, finder(), count, saves), list, card);
list.append(...contents.dimensions.map((one) => dimensionPart(page, one, named)));
named();
