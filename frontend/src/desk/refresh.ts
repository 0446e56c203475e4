/** Keep the page fresh: ask for it again, and put in place the parts that are new. */

const EVERY_MS = 4_000;
const LONGEST_MS = 60_000;

export class Refresher {
  private readonly seen = new Map<string, string>(); // each live part, as the server drew it
  private etag = "";
  private failures = 0;

  constructor(private readonly draw: (root: Element) => void) {
    for (const part of live(document)) this.seen.set(part.id, part.outerHTML);
  }

  start(): void {
    if (!live(document).length) return;
    document.addEventListener("visibilitychange", () => !document.hidden && void this.look());
    const again = () => {
      const wait = Math.min(LONGEST_MS, EVERY_MS * 2 ** this.failures);
      setTimeout(() => void this.look().finally(again), wait);
    };
    again();
  }

  /** Ask once; nobody looks at a page that is hidden. */
  async look(): Promise<void> {
    if (document.hidden) return;
    try {
      const headers = this.etag ? { "If-None-Match": this.etag } : undefined;
      const reply = await fetch(location.href, { headers: headers ?? {}, cache: "no-store" });
      if (reply.status === 401) location.reload();
      if (reply.status !== 304 && !reply.ok) throw new Error(reply.statusText);
      if (reply.ok) this.take(await reply.text(), reply.headers.get("ETag") ?? "");
      this.failures = 0;
      tell("");
    } catch {
      this.failures += 1;
      tell("The server does not answer. What you see may be old; this page tries again by itself.");
    }
  }

  private take(html: string, etag: string): void {
    const fresh = new DOMParser().parseFromString(html, "text/html");
    let waiting = false;
    for (const part of live(fresh)) {
      const now = document.getElementById(part.id);
      const drawn = part.outerHTML;
      if (!now || this.seen.get(part.id) === drawn) continue;
      if (isBusy(now)) {
        waiting = true;
        continue;
      }
      this.seen.set(part.id, drawn);
      this.replace(now, part);
    }
    const same = names(fresh) === names(document);
    if (!same && !waiting) location.reload(); // a part came or is gone: as after the first fit
    this.etag = waiting ? "" : etag;
  }

  /** Put a part in place; what was open stays open, and the focus where it was. */
  private replace(now: HTMLElement, part: HTMLElement): void {
    const focus = now.contains(document.activeElement) ? document.activeElement!.id : "";
    for (const open of now.querySelectorAll<HTMLDetailsElement>("details[open][id]")) {
      part.querySelector(`#${CSS.escape(open.id)}`)?.setAttribute("open", "");
    }
    const placed = document.importNode(part, true);
    now.replaceWith(placed);
    this.draw(placed);
    if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
  }
}

function live(root: ParentNode): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>("[data-live]")];
}

function names(root: ParentNode): string {
  return live(root)
    .map((part) => part.id)
    .join(" ");
}

/** Somebody is writing in it, or has opened a form of it. */
function isBusy(part: HTMLElement): boolean {
  const active = document.activeElement;
  const writing = active instanceof HTMLInputElement && !["range", "checkbox"].includes(active.type) && part.contains(active);
  return writing || part.querySelector("details[open] form") !== null;
}

function tell(words: string): void {
  const place = document.getElementById("connection");
  if (place && place.textContent !== words) place.textContent = words;
}
