/** In which of the study's languages the page is: as the browser says, until the person chooses. */
import { h } from "./dom";
import type { Spoken } from "./protocol";
import { language, say, speak, wanted } from "./strings";
import type { BrowserStorage } from "./storage";

export const CHOSEN = "language"; // what is remembered

/** Speak the person's language; gives the menu to change it, where there are several. */
export function begin(offered: Spoken[], storage: BrowserStorage): HTMLElement | null {
  speak(wanted(offered, storage.get<string>(CHOSEN)));
  if (offered.length < 2 || !storage.lasts) return null;
  const menu = h("select", { class: "language", "aria-label": say("language") });
  for (const { code, name } of offered) {
    const selected = code === language().code;
    menu.append(h("option", { value: code, lang: code, selected }, name));
  }
  menu.addEventListener("keydown", (event) => event.stopPropagation()); // no answers
  menu.addEventListener("change", () => change(storage, menu.value));
  return menu;
}

/** The page loads anew, and goes on where it was. */
function change(storage: BrowserStorage, code: string): void {
  storage.set(CHOSEN, code);
  window.dispatchEvent(new Event("leaving"));
  location.reload();
}
