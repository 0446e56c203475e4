/** Pictures as large as the screen shows them: a smaller file comes sooner, a larger one where it is looked
 * at closely. */
import { layOut } from "./layout";
import type { Item, Question } from "./protocol";

const SHARPEST = 2; // pixels of the screen for one of the page: more are not seen
const QUICK = 150; // bytes in a millisecond; on a slower network it is one pixel
const TELLING = 20_000; // bytes that say how quick the network is
const AROUND = { width: 20, height: 120 }; // at least, of a question's tiles
const LARGEST: Record<string, number> = { arrangement: 120, piles: 150 }; // tiles, by plugin
const USUAL = 340;
const CLOSE = 240; // pixels of what is shown larger while it is held

interface Shown {
  address: string;
  sides: number[];
  side: number; // of the file that is shown
}

const shown = new WeakMap<HTMLImageElement, Shown>();

/** Pixels of the page that a tile of a question has here, or a few more. */
export function tileOf(question: Question): number {
  const { plugin, options, head, timing } = question;
  const largest = LARGEST[plugin] ?? USUAL;
  const wanted = { options: options.length, head: !!head && !timing, aspect: 1, fill: false, largest };
  return layOut(innerWidth - AROUND.width, innerHeight - AROUND.height, wanted).width;
}

/** Load a picture for so many pixels of the page. */
export function load(image: HTMLImageElement, { sides }: Item, address: string, pixels: number): Promise<void> {
  const now = { address, sides, side: fit(sides, pixels) };
  shown.set(image, now);
  image.src = addressOf(now);
  return image.decode();
}

/** Exchange a picture that is shown larger than it was loaded for, once the larger one is there. */
export async function sharpen(image: HTMLImageElement, pixels: number): Promise<void> {
  const now = shown.get(image);
  const side = now ? fit(now.sides, pixels) : 0;
  if (!now || side <= now.side) return;
  const [larger, address] = [new Image(), addressOf({ ...now, side })];
  now.side = side;
  larger.src = address;
  await larger.decode().then(() => (image.src = address), () => {}); // else it stays as it is
}

/** The same picture once more, to be shown larger. */
export function closer(image: HTMLImageElement): Node {
  const copy = image.cloneNode() as HTMLImageElement;
  const now = shown.get(image);
  if (now) shown.set(copy, { ...now });
  void sharpen(copy, CLOSE);
  return copy;
}

/** Whoever makes the window larger, or zooms, sees as sharply as before. */
export function watch(): void {
  const look = () => {
    const zoom = visualViewport?.scale ?? 1;
    for (const image of document.querySelectorAll("img")) void sharpen(image, zoom * image.clientWidth);
  };
  window.addEventListener("resize", look);
  visualViewport?.addEventListener("resize", look);
}

/** The smallest size that is as sharp as the screen; without end: the picture itself. */
function fit(sides: number[], pixels: number): number {
  const needed = pixels * Math.min(isQuick() ? SHARPEST : 1, devicePixelRatio);
  return sides.find((side) => side >= needed) ?? Infinity;
}

/** Whether large files came quickly, once they began to; those that the browser had before say nothing. */
function isQuick(): boolean {
  const all = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
  const telling = all.filter(({ transferSize }) => transferSize > TELLING);
  const rates = telling.map((one) => one.transferSize / (one.responseEnd - one.responseStart));
  return !rates.length || Math.max(...rates) > QUICK;
}

function addressOf({ address, side }: Shown): string {
  return side < Infinity ? `${address}?side=${side}` : address;
}
