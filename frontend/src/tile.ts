/** One stimulus on the screen: a button where it may be chosen; sounds and films can be played. */
import { h } from "./dom";
import type { Item } from "./protocol";
import { say } from "./strings";

/** `place` of an option, or null for the head; an option is chosen unless labels are, below it. */
export function tile(
  item: Item,
  element: HTMLElement,
  place: number | null,
  choosable = place !== null,
): HTMLElement {
  const name = place === null ? say("reference") : say("option", { place: place + 1 });
  const label = item.type === "text" || !item.alt ? name : `${name}: ${item.alt}`;
  const role = choosable ? "option" : place === null ? "head" : "shown";
  const badge = choosable ? h("kbd", { "aria-hidden": "true" }, String(place! + 1)) : null;
  if (element instanceof HTMLMediaElement) return player(item, element, label, role, badge);
  if (!choosable) return h("div", { class: `tile ${role} of-${item.type}` }, named(element, label));
  const spoken = item.type === "text" ? {} : { "aria-label": label };
  return h(
    "button",
    { class: `tile option of-${item.type}`, type: "button", ...spoken },
    element,
    badge,
  );
}

/** What is not chosen is named by its picture. */
function named(element: HTMLElement, label: string): HTMLElement {
  if (element instanceof HTMLImageElement) element.alt = label;
  return element;
}

function player(
  item: Item,
  media: HTMLMediaElement,
  label: string,
  role: string,
  badge: HTMLElement | null,
): HTMLElement {
  counted(media);
  const play = h(
    "button",
    { class: "play", type: "button", click: () => again(media), "aria-label": `${say("play")}: ${label}` },
    media,
    triangle(),
  );
  const choose =
    role === "option"
      ? h("button", { class: "choose", type: "button", "aria-label": label }, say("choose"), badge)
      : null;
  return h("div", { class: `tile playable ${role} of-${item.type}` }, play, choose);
}

/** Count how often a sound or film was started, and mark a sound that was heard to its end. */
export function counted(media: HTMLMediaElement): void {
  const count = () => (media.dataset["plays"] = String(Number(media.dataset["plays"] ?? 0) + 1));
  media.addEventListener("play", count);
  media.addEventListener("ended", () => heard(media));
  media.addEventListener("error", () => (media.dataset["heard"] = "never")); // it holds up nobody
}

function heard(media: HTMLMediaElement): void {
  if (media.dataset["heard"]) return;
  media.dataset["heard"] = "yes";
  const button = media.closest("button")!;
  button.classList.remove("unheard");
  button.append(h("span", { class: "heard", "aria-hidden": "true" }, "✓"));
  button.setAttribute("aria-label", `${button.getAttribute("aria-label") ?? ""} ✓`);
}

/** Say whether all sounds on the screen were heard to their ends; mark those that were not. */
export function allHeard(root: HTMLElement): boolean {
  const left = [...root.querySelectorAll("audio")].filter((one) => !one.dataset["heard"]);
  for (const one of left) one.closest("button")!.classList.add("unheard");
  return left.length === 0;
}

/** Play one from the beginning, and no other sound. Before the first touch a browser may refuse. */
export function again(media: HTMLMediaElement): void {
  for (const other of document.querySelectorAll<HTMLMediaElement>("audio")) other.pause();
  media.muted = false;
  media.currentTime = 0;
  media.play().catch(() => {});
}

export function triangle(): HTMLElement {
  return h("span", { class: "triangle", "aria-hidden": "true" });
}

/** Films run, silently, and the head is heard, without a touch: where that is welcome, and allowed. */
export function start(tile: HTMLElement): void {
  const media = tile.querySelector<HTMLMediaElement>("video, audio");
  if (!media) return;
  const film = media instanceof HTMLVideoElement;
  media.muted = film;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (film ? !still : tile.matches(".head")) media.play().catch(() => {}); // there is a button
}

/** How often each was started; null where there is nothing to play. */
export function playsOf(tiles: HTMLElement[]): number[] | null {
  const media = tiles.map((tile) => tile.querySelector<HTMLMediaElement>("audio, video"));
  if (media.every((one) => one === null)) return null;
  return media.map((one) => Number(one?.dataset["plays"] ?? 0));
}
