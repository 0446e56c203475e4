/** Pictures, sounds and films, there before their question begins. */
import { pause } from "./clock";
import { h } from "./dom";
import type { Item, Question } from "./protocol";
import { load, tileOf } from "./sizes";

const STUCK_AFTER = 4; // failures with a network: no longer the network's fault
const LONGEST_MS = 8_000;

/** A question's elements, head first; `ready` when all can be shown at once. */
export class Prepared {
  readonly elements: HTMLElement[];
  readonly ready: Promise<void>;
  readonly stuck: Promise<void>; // a part cannot be had
  private dropped = false;
  private despair!: () => void;
  private readonly addresses: string[] = []; // of sounds and films held in memory

  constructor(question: Question, after: Promise<unknown>, root: string) {
    const items = question.head ? [question.head, ...question.options] : question.options;
    this.elements = items.map(blank);
    this.stuck = new Promise((resolve) => (this.despair = resolve));
    const one = (item: Item, n: number) =>
      this.persist(() => this.load(item, n, root, tileOf(question)));
    this.ready = after.then(async () => void (await Promise.all(items.map(one))));
  }

  drop(): void {
    this.dropped = true;
    for (const element of this.elements) if (element instanceof HTMLMediaElement) element.pause();
    for (const address of this.addresses) URL.revokeObjectURL(address);
  }

  /** Again and again, ever more slowly, until it succeeds or nobody wants it any more. */
  private async persist(load: () => Promise<void>): Promise<void> {
    for (let failures = 0; !this.dropped;) {
      try {
        return await load();
      } catch {
        failures = navigator.onLine ? failures + 1 : 0;
        if (failures >= STUCK_AFTER) this.despair();
        await pause(Math.min(LONGEST_MS, 250 * 2 ** failures));
      }
    }
  }

  private async load(item: Item, n: number, root: string, pixels: number): Promise<void> {
    const element = this.elements[n]!;
    if (element instanceof HTMLImageElement) {
      await load(element, item, root + item.url, pixels);
    } else if (element instanceof HTMLMediaElement) {
      const reply = await fetch(root + item.url);
      if (!reply.ok) throw new Error(reply.statusText);
      element.src = URL.createObjectURL(await reply.blob()); // whole, so it never stalls
      this.addresses.push(element.src);
      if (element instanceof HTMLVideoElement) await firstFrame(element);
    }
  }
}

/** An item's element, still empty unless it is text. */
export function blank(item: Item): HTMLElement {
  const { alt } = item;
  if (item.type === "image") return h("img", { alt, draggable: "false", decoding: "sync" });
  if (item.type === "audio") return h("audio", { preload: "auto", title: alt });
  if (item.type === "video") {
    return h("video", { preload: "auto", title: alt, playsinline: true, loop: true });
  }
  return h("p", { class: "text" }, item.text ?? "");
}

/** Some phones show no frame before a touch: the data are there, so do not wait long. */
function firstFrame(video: HTMLVideoElement): Promise<unknown> {
  const shown = new Promise((resolve, reject) => {
    video.addEventListener("loadeddata", resolve, { once: true });
    video.addEventListener("error", reject, { once: true });
  });
  return Promise.race([shown, pause(2_000)]);
}

/** The questions ahead, each loaded after the one before it, so that the next is there first. */
export class Media {
  private readonly prepared = new Map<string, Prepared>();
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly root: string) {}

  /** Prepare these questions, in order, and let go of all others. */
  hold(questions: Question[]): void {
    const wanted = new Set(questions.map((question) => question.id));
    for (const id of this.prepared.keys()) if (!wanted.has(id)) this.drop(id);
    for (const question of questions) this.of(question);
  }

  of(question: Question): Prepared {
    const found = this.prepared.get(question.id);
    if (found) return found;
    const prepared = new Prepared(question, this.last, this.root);
    this.prepared.set(question.id, prepared);
    this.last = Promise.race([prepared.ready, prepared.stuck]); // the stuck holds up nobody
    return prepared;
  }

  drop(id: string): void {
    this.prepared.get(id)?.drop();
    this.prepared.delete(id);
  }
}
