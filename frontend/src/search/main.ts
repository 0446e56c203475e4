/** The search page: nine pictures, a click on the most similar one, and nine nearer ones.
 *
 * The address holds all there is to know (`?clicks=381`: the tiles clicked, from 1), so the
 * browser's own back, reload and links work. `found` is the tile that was said to be it. In a
 * study that runs, `space` is the map that the search began in; a newer one changes nothing in it.
 * `like` is the number of an item at which the search began. */
import "../style.css";
import "./style.css";
import { h } from "../dom";

interface Tile {
  number: number;
  name: string | null;
  url: string | null;
  text: string | null;
  link: string | null;
}

interface Page {
  tiles: Tile[];
  space: number | null;
}

const COLUMNS = 3;
const GONE = 410; // the map that the search began in
const TOUCH = matchMedia("(hover: none)").matches;
const { title, keeps, api } = JSON.parse(document.getElementById("config")!.textContent!) as {
  title: string;
  keeps: boolean;
  api: string;
};

const heading = h("h1", { tabindex: -1 });
const hint = h("p", { class: "hint" });
const grid = h("ol", { class: "tiles" });
const voice = h("p", { class: "unseen", role: "status" });
const trouble = h("p", { class: "trouble", role: "alert" });
const back = h("button", { class: "secondary", click: () => history.back() }, "Back");
const anew = h("button", { class: "secondary", click: () => go() }, "Start over");
const onward = h("div", { class: "buttons" }); // where to go from the item found
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
let space: string | null = null;
let like: string | null = null;
let search = madeUp(); // an id: what is kept of a search is kept once
let turn = 0; // of requests: only the answer to the last one is shown

/** Read the address, and show what it says. */
async function show(): Promise<void> {
  const address = new URLSearchParams(location.search);
  const wanted = address.get("clicks") ?? "";
  const mine = ++turn;
  document.body.toggleAttribute("data-busy", true);
  const begun = address.get("like");
  const asked = { like: begun, clicks: wanted, space: address.get("space") };
  const page = await get(`${api}/search${query(asked)}`);
  if (mine !== turn) return;
  document.body.toggleAttribute("data-busy", false);
  if (page === null) return;
  [clicks, tiles, like] = [wanted, page.tiles, begun];
  space = page.space === null ? null : String(page.space);
  const place = Number(address.get("found")) - 1;
  const found = tiles[place];
  if (found) end(found, place);
  else if (tiles.length) offer();
  else wait();
  onward.hidden = !found;
  back.hidden = anew.hidden = clicks === "" && like === null && !found;
  consent.hidden = !keeps || found !== undefined || !tiles.length;
  document.body.dataset["clicks"] = wanted;
}

async function get(path: string): Promise<Page | null> {
  try {
    const reply = await fetch(path);
    const body = await reply.json();
    trouble.replaceChildren();
    if (reply.ok) return body;
    const { message, remedy } = body.error;
    const garbled = message.startsWith("query."); // such an address was never given to anybody
    const said = garbled ? "There is no search at this address. Start over." : `${message} ${remedy}`;
    tell(said, reply.status !== GONE);
  } catch {
    tell("The server cannot be reached.");
  }
  return null;
}

/** Say what is wrong, and offer a way on. */
function tell(problem: string, again = true): void {
  trouble.replaceChildren(problem);
  if (again) trouble.append(" ", h("button", { class: "secondary", click: () => void show() }, "Try again"));
  anew.hidden = false;
  consent.hidden ||= !tiles.length;
}

/** Say that there is no map yet. */
function wait(): void {
  heading.textContent = "Nothing can be found yet";
  hint.textContent = "The map that is searched is made once enough people have answered. Please come back later.";
  grid.replaceChildren();
}

/** Show the tiles of a page. */
function offer(): void {
  heading.textContent = "Which is most like what you are looking for?";
  const how = TOUCH ? "Tap it" : `Click it, or press 1 to ${tiles.length}`;
  hint.textContent = `${how}. If you see the very one, press “This is it” below it.`;
  grid.replaceChildren(...tiles.map(tile));
  voice.textContent = `Page ${clicks.length + 1}: ${tiles.length} pictures.`;
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function tile(one: Tile, place: number): HTMLElement {
  const key = h("kbd", { "aria-hidden": "true" }, String(place + 1));
  return h(
    "li",
    {},
    h("button", { class: "choose-tile", click: () => choose(place) }, drawn(one, place), key),
    h(
      "button",
      { class: "it", "aria-label": `This is it: ${words(one, place)}`, click: () => find(place) },
      "This is it",
    ),
  );
}

/** Draw an item: its picture, or what it says. */
function drawn(one: Tile, place: number): HTMLElement {
  const said = h("span", {}, words(one, place));
  if (one.url === null) return said;
  const picture = h("img", { src: one.url, alt: words(one, place), draggable: "false" });
  picture.addEventListener("error", () => picture.replaceWith(said));
  return picture;
}

function words({ name, text }: Tile, place: number): string {
  return text ?? name ?? `number ${place + 1}`;
}

/** Show what was found. */
function end(found: Tile, place: number): void {
  const n = clicks.length;
  heading.textContent = found.text || found.name ? `Found: ${words(found, place)}` : "Found";
  hint.textContent = n === 0 ? "It was on the first page." : `After ${n} click${n > 1 ? "s" : ""}.`;
  grid.replaceChildren(h("li", { class: "found" }, drawn(found, place)));
  const more = h("button", { class: "secondary", click: () => begin(found.number) }, "More like this one");
  const follow = found.link === null ? [] : [h("a", { href: found.link, rel: "noreferrer" }, "Open its page")];
  onward.replaceChildren(...follow, more);
  voice.textContent = "";
  heading.focus();
}

function choose(place: number): void {
  if (!document.body.hasAttribute("data-busy") && place < tiles.length) go({ clicks: `${clicks}${place + 1}` });
}

function find(place: number): void {
  if (keeps && agreed.checked) {
    const pinned = space === null ? {} : { space: Number(space) };
    const begun = like === null ? {} : { like: Number(like) };
    const body = JSON.stringify({ search, clicks, tile: place + 1, ...begun, ...pinned, agreed: true });
    const headers = { "Content-Type": "application/json" };
    void fetch(`${api}/found`, { method: "POST", headers, body, keepalive: true }).catch(() => null);
  }
  go({ clicks, found: String(place + 1) });
}

/** Make up an id that means nothing. */
function madeUp(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Begin a search for others like an item, in the same map. */
function begin(number: number): void {
  search = madeUp();
  go({ like: String(number) });
}

/** Go on in the same map; without anything, start over. */
function go(state?: Record<string, string>): void {
  if (!state) search = madeUp();
  history.pushState(null, "", state ? query({ space, like, ...state }) : location.pathname);
  void show();
}

/** Write a query, without what there is not. */
function query(state: Record<string, string | null>): string {
  const known = Object.entries(state).filter((one): one is [string, string] => one[1] !== null);
  return `?${new URLSearchParams(known)}`;
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
  h("main", {}, heading, hint, trouble, grid, onward, h("div", { class: "buttons" }, back, anew), consent, voice),
);
addEventListener("popstate", () => void show());
addEventListener("keydown", press);
void show();
