/** The items' pictures: fetched once, and kept framed in each size that is drawn. */
import type { Atlas, MapData } from "./data";
import { stamped, type Stamp } from "./raster";

const KEPT = 24_000_000; // pixels
const AT_ONCE_MS = 1; // of framing in one frame of the map: other pictures follow in the next ones
export const RIM = 2;

interface Source {
  image: CanvasImageSource;
  x: number;
  y: number;
  width: number;
  height: number;
}

export class Sprites {
  readonly any: boolean;
  private readonly atlas: Atlas | null = null;
  private whole: ImageBitmap | null = null;
  private readonly single: (HTMLImageElement | null)[] = [];
  private readonly kept = new Map<number, Map<number, Stamp>>(); // by side, then by item
  private pixels = 0;
  private until = 0;
  waiting = false; // pictures of this frame were left for the next

  constructor({ images }: MapData, private readonly onload: () => void) {
    if (Array.isArray(images)) this.single = images.map((source) => (source ? this.load(source) : null));
    else if (images) {
      this.atlas = images;
      const image = this.load(images.source);
      void image.decode().then(async () => {
        this.whole = await createImageBitmap(image); // decoded once for all
        this.onload();
      });
    }
    this.any = this.atlas !== null || this.single.some((image) => image !== null);
  }

  /** Whether an item has a picture, loaded or not yet. */
  has(item: number): boolean {
    return this.atlas ? this.atlas.sizes[item] !== null : this.single[item] != null;
  }

  /** Forget what is kept: frames have another colour now. */
  clear(): void {
    this.kept.clear();
    this.pixels = 0;
  }

  /** Begin a frame of the map. */
  begin(): void {
    this.until = performance.now() + AT_ONCE_MS;
    this.waiting = false;
  }

  /** An item's picture in a frame, for now perhaps of another size; null while it loads. */
  framed(item: number, side: number, colour: string, atOnce = false): Stamp | null {
    const found = this.kept.get(side)?.get(item);
    if (found) return found;
    const source = this.source(item);
    if (!source) return null;
    if (performance.now() < this.until || atOnce) return this.keep(item, side, frame(source, side, colour));
    this.waiting = true;
    return this.another(item, side);
  }

  /** An item's picture by itself, no side longer than so many pixels of the screen. */
  cut(item: number, side: number): HTMLCanvasElement | null {
    const source = this.source(item);
    if (!source) return null;
    const canvas = document.createElement("canvas");
    const shrink = Math.min(1, (side * devicePixelRatio) / Math.max(source.width, source.height));
    canvas.width = Math.max(1, Math.round(source.width * shrink));
    canvas.height = Math.max(1, Math.round(source.height * shrink));
    draw(canvas.getContext("2d")!, source, 0, 0, canvas.width, canvas.height);
    return canvas;
  }

  private keep(item: number, side: number, stamp: Stamp): Stamp {
    this.pixels += stamp.pixels.length;
    if (this.pixels > KEPT) this.clear();
    const sized = this.kept.get(side);
    if (sized) sized.set(item, stamp);
    else this.kept.set(side, new Map([[item, stamp]]));
    return stamp;
  }

  /** The size nearest to a side that is kept of an item. */
  private another(item: number, side: number): Stamp | null {
    const sides = [...this.kept.keys()].filter((other) => this.kept.get(other)!.has(item));
    sides.sort((a, b) => Math.abs(a - side) - Math.abs(b - side));
    return sides.length ? this.kept.get(sides[0]!)!.get(item)! : null;
  }

  private load(source: string): HTMLImageElement {
    const image = new Image();
    image.onload = this.onload;
    image.src = source;
    return image;
  }

  private source(item: number): Source | null {
    if (this.atlas) {
      const size = this.atlas.sizes[item];
      const { side, columns } = this.atlas;
      const [x, y] = [(item % columns) * side, Math.floor(item / columns) * side];
      return size && this.whole ? { image: this.whole, x, y, width: size[0], height: size[1] } : null;
    }
    const image = this.single[item];
    if (!image?.complete || !image.naturalWidth) return null;
    return { image, x: 0, y: 0, width: image.naturalWidth, height: image.naturalHeight };
  }
}

/** A picture on white, shrunk or stretched to a side with the frame around it. */
function frame(source: Source, side: number, colour: string): Stamp {
  const shrink = (side - 2 * RIM) / Math.max(source.width, source.height);
  const [width, height] = [source.width, source.height].map((s) => Math.max(1, Math.round(s * shrink)));
  return stamped(width! + 2 * RIM, height! + 2 * RIM, (pen) => {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, width! + 2 * RIM, height! + 2 * RIM);
    pen.fillStyle = "#fff";
    pen.fillRect(RIM, RIM, width!, height!);
    draw(pen, source, RIM, RIM, width!, height!);
  });
}

function draw(pen: CanvasRenderingContext2D, from: Source, x: number, y: number, width: number, height: number): void {
  pen.imageSmoothingQuality = from.width > 3 * width ? "high" : "low";
  pen.drawImage(from.image, from.x, from.y, from.width, from.height, x, y, width, height);
}
