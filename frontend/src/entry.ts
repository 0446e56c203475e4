/** Coming in, and coming back: the token of this participant on this device. */
import type { Api } from "./api";
import { screen } from "./clock";
import { version } from "./plugins/parameters";
import { LONGEST_PARAMETER, LONGEST_TEXT, type BrowserReport, type Entered } from "./protocol";
import type { BrowserStorage } from "./storage";

interface Place extends Entered {
  address: string; // the parameters with which the participant came
}

/** Whoever came with these parameters, or without any where someone is known, comes back. */
export async function enter(api: Api, storage: BrowserStorage): Promise<Entered> {
  const known = storage.get<Place>("place");
  const address = location.search;
  if (known && (address === "" || address === known.address)) {
    api.token = known.token;
    return known;
  }
  return enterAnew(api, storage);
}

/** On a computer that people share, an address with ?new is for the next person; once each. */
export function asksAnew(): boolean {
  const given = new URLSearchParams(location.search);
  if (!given.has("new")) return false;
  given.delete("new");
  const rest = given.size ? `?${given}` : "";
  history.replaceState(null, "", location.pathname + rest + location.hash);
  return true;
}

export async function enterAnew(api: Api, storage: BrowserStorage): Promise<Entered> {
  api.token = "";
  const given = [...new URLSearchParams(location.search)];
  const parameters = Object.fromEntries(
    given.map(([name, value]) => [cut(name), value.slice(0, LONGEST_PARAMETER)]),
  );
  const key = keyOf(location.search, storage);
  const entered = await api.enter({ parameters, browser: browser(), key });
  storage.set("place", { ...entered, address: location.search } satisfies Place);
  storage.remove("entering");
  api.token = entered.token;
  return entered;
}

/** The key of an entry, the same until there is a reply: what is sent again is nobody new. */
function keyOf(address: string, storage: BrowserStorage): string {
  const begun = storage.get<{ address: string; key: string }>("entering");
  if (begun?.address === address) return begun.key;
  const bytes = [...crypto.getRandomValues(new Uint8Array(32))];
  const key = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  storage.set("entering", { address, key });
  return key;
}

/** The token is no longer known: the next load comes in anew. Unsent answers stay. */
export function forget(storage: BrowserStorage): void {
  storage.remove("entering");
  storage.remove("place");
  storage.remove("left");
}

function browser(): BrowserReport {
  const prefers = (what: string) => matchMedia(`(prefers-${what})`).matches;
  return {
    languages: [...navigator.languages],
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    screen: screen(),
    touch: navigator.maxTouchPoints > 0,
    reduced_motion: prefers("reduced-motion: reduce"),
    dark: prefers("color-scheme: dark"),
    page: version,
  };
}

function cut(text: string): string {
  return text.slice(0, LONGEST_TEXT);
}
