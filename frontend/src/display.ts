/** What all people see alike: colours around the stimuli, and a window that is large enough. */
import { h } from "./dom";
import type { Look } from "./protocol";
import { say } from "./strings";

const EQUAL = 0.179; // the luminance that contrasts with black as much as with white

/** Fix the colours, where the study does. With a surround all else is black or white, whatever is legible. */
export function dress({ scheme, surround }: Look): void {
  const root = document.documentElement;
  const bright = surround ? luminance(surround) > EQUAL : scheme === "light";
  if (surround || scheme !== "auto") root.dataset["scheme"] = bright ? "light" : "dark";
  if (!surround) return;
  const ink = bright ? "#000000" : "#ffffff";
  for (const name of ["paper", "card", "tile", "on-accent"]) root.style.setProperty(`--${name}`, surround);
  for (const name of ["ink", "faint", "accent", "on-tile"]) root.style.setProperty(`--${name}`, ink);
  root.style.setProperty("--line", `color-mix(in srgb, ${ink} 30%, ${surround})`);
  root.style.setProperty("--shadow", "none");
}

/** As WCAG has it, of "#rrggbb". */
function luminance(colour: string): number {
  const parts = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255);
  const [r, g, b] = parts.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

/** Once the window is large enough; until then people are told, and what helps. */
export function roomy(stage: HTMLElement, { min_width, min_height }: Look): Promise<void> {
  const fits = () => innerWidth >= min_width && innerHeight >= min_height;
  if (fits()) return Promise.resolve();
  const [text, never] = [h("p", { role: "status" }), h("p", {}, say("small.never"))];
  stage.append(h("article", { class: "page" }, h("h1", {}, say("small.title")), text, never));
  return new Promise((resolve) => {
    const look = () => {
      const { width, height } = screen;
      const [long, short] = [Math.max(width, height), Math.min(width, height)];
      never.hidden = long >= Math.max(min_width, min_height) && short >= Math.min(min_width, min_height);
      const values = { width: min_width, height: min_height, across: innerWidth, down: innerHeight };
      text.textContent = say("small.text", values);
      if (!fits()) return;
      window.removeEventListener("resize", look);
      stage.replaceChildren();
      resolve();
    };
    window.addEventListener("resize", look);
    look();
  });
}

/** What is said on the page of consent of all that is measured. */
export function facts({ measures, needs_headphones }: Look): string[] {
  const named = [...measures, ...(needs_headphones ? ["needed"] : [])];
  return named.map((name) => say(`consent.${name}`));
}
