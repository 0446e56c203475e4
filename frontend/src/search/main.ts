/** The search page: nine pictures, a click on the most similar one, and nine nearer ones.
 *
 * The address holds all there is to know (`?clicks=381`: the tiles clicked, from 1), so the
 * browser's own back, reload and links work. `found` is the tile that was said to be it. */
import "../style.css";
import "./style.css";
import { h } from "../dom";

interface Tile {
  name: string;
  url: string;
}

const COLUMNS = 3;
const { title, keeps } = JSON.parse(document.getElementById("config")!.textContent!) as {
  title: string;
  keeps: boolean;
};

const heading = h("h1", { tabindex: -1 });
const hint = h("p", { class: "hint" });
const grid = h("ol", { class: "tiles" });
const voice = h("p", { class: "unseen", role: "status" });
const trouble = h("p", { class: "trouble", role: "alert" });
const back = h("button", { class: "secondary", click: () => history.back() }, "Back");
const anew = h("button", { class: "secondary", click: () => go("") }, "Start over");
const agreed = h("input", { type: "checkbox", id: "agreed" });
const consent = h(
  "p",
  { class: "consent" },
  agreed,
  h(
    "label",
    { for: "agreed" },
    "When I find it, keep which pictures I clicked, to improve this search. Nothing about me is kept.",
  ),
);

let tiles: Tile[] = [];
let clicks = "";
let search = drawn(); // an id: what is kept of a search is kept once
let turn = 0; // of requests: only the answer to the last one is shown

/** Read the address, and show what it says. */
async function show(): Promise<void> {
  const address = new URLSearchParams(location.search);
  const wanted = address.get("clicks") ?? "";
  const mine = ++turn;
  document.body.toggleAttribute("data-busy", true);
  const page = await get(`/api/search?clicks=${encodeURIComponent(wanted)}`);
  if (mine !== turn) return;
  document.body.toggleAttribute("data-busy", false);
  if (page === null) return;
  [clicks, tiles] = [wanted, page.tiles];
  const found = tiles[Number(address.get("found")) - 1];
  if (found) end(found);
  else offer();
  back.hidden = anew.hidden = clicks === "" && !found;
  consent.hidden = !keeps || found !== undefined;
  document.body.dataset["clicks"] = wanted;
}

async function get(path: string): Promise<{ tiles: Tile[] } | null> {
  try {
    const reply = await fetch(path);
    const body = await reply.json();
    if (!reply.ok) throw new Error(`${body.error.message} ${body.error.remedy}`);
    trouble.replaceChildren();
    return body;
  } catch (error) {
    const text = error instanceof TypeError ? "The server cannot be reached." : String(error);
    const again = h("button", { class: "secondary", click: () => void show() }, "Try again");
    trouble.replaceChildren(text.replace(/^Error: /, ""), " ", again);
    anew.hidden = false;
    return null;
  }
}

/** Show the tiles of a page. */
function offer(): void {
  heading.textContent = "Which is most like what you are looking for?";
  hint.textContent = `Click it, or press 1 to ${tiles.length}. Is it here? Then say “This is it”.`;
  grid.replaceChildren(...tiles.map(tile));
  voice.textContent = `Page ${clicks.length + 1}: ${tiles.length} pictures.`;
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function tile(one: Tile, place: number): HTMLElement {
  const picture = h("img", { src: one.url, alt: one.name, draggable: "false" });
  picture.addEventListener("error", () => picture.replaceWith(one.name));
  const key = h("kbd", { "aria-hidden": "true" }, String(place + 1));
  return h(
    "li",
    {},
    h("button", { class: "choose-tile", click: () => choose(place) }, picture, key),
    h(
      "button",
      { class: "it", "aria-label": `This is it: ${one.name}`, click: () => find(place) },
      "This is it",
    ),
  );
}

/** Show what was found. */
function end(found: Tile): void {
  const n = clicks.length;
  heading.textContent = `Found: ${found.name}`;
  hint.textContent = n === 0 ? "It was on the first page." : `After ${n} click${n > 1 ? "s" : ""}.`;
  grid.replaceChildren(h("li", { class: "found" }, h("img", { src: found.url, alt: found.name })));
  voice.textContent = "";
  heading.focus();
}

function choose(place: number): void {
  if (!document.body.hasAttribute("data-busy") && place < tiles.length) go(`?clicks=${clicks}${place + 1}`);
}

function find(place: number): void {
  if (keeps && agreed.checked) {
    const body = JSON.stringify({ search, clicks, found: tiles[place]!.name, agreed: true });
    const headers = { "Content-Type": "application/json" };
    void fetch("/api/found", { method: "POST", headers, body, keepalive: true }).catch(() => null);
  }
  go(`?clicks=${clicks}&found=${place + 1}`);
}

/** Draw an id that means nothing. */
function drawn(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function go(address: string): void {
  if (!address) search = drawn();
  history.pushState(null, "", address || location.pathname);
  void show();
}

/** Digits choose; arrows go from tile to tile. */
function press(event: KeyboardEvent): void {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const buttons = [...grid.querySelectorAll<HTMLElement>(".choose-tile")];
  if (/^[1-9]$/.test(event.key) && buttons.length) return choose(Number(event.key) - 1);
  const steps: Record<string, number> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -COLUMNS,
    ArrowDown: COLUMNS,
  };
  const step = steps[event.key];
  if (step === undefined || !buttons.length) return;
  const at = buttons.findIndex((button) => button.parentElement!.contains(document.activeElement));
  buttons[at < 0 ? 0 : Math.min(Math.max(at + step, 0), buttons.length - 1)]!.focus();
  event.preventDefault();
}

document.body.classList.add("search");
document.body.append(
  h("header", {}, h("span", { class: "title" }, title)),
  h("main", {}, heading, hint, trouble, grid, h("div", { class: "buttons" }, back, anew), consent, voice),
);
addEventListener("popstate", () => void show());
addEventListener("keydown", press);
void show();
