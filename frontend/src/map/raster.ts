/**
 * Pixels of the map, written one by one and shown at once. Ten thousand marks are ten thousand calls
 * to a canvas, but only a loop here: measured, a third of the processor time of a frame.
 */

/** A small opaque or see-through picture; pixels are red, green, blue, alpha from the lowest byte. */
export interface Stamp {
  width: number;
  height: number;
  pixels: Uint32Array;
  opaque: boolean;
}

export class Raster {
  readonly image: ImageData;
  private readonly pixels: Uint32Array;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  clear(paper: number): void {
    this.pixels.fill(paper);
  }

  /** A square of one colour around a place. */
  square(x: number, y: number, side: number, colour: number): void {
    const [left, top] = [Math.round(x - side / 2), Math.round(y - side / 2)];
    const [from, to] = [Math.max(left, 0), Math.min(left + side, this.width)];
    const last = Math.min(top + side, this.height);
    for (let row = Math.max(top, 0); row < last; row++) {
      const start = row * this.width;
      for (let p = start + from; p < start + to; p++) this.pixels[p] = colour;
    }
  }

  /** A thin line between two places; what is off the page is left out. */
  line(x: number, y: number, toX: number, toY: number, colour: number): void {
    const steps = Math.ceil(Math.max(Math.abs(toX - x), Math.abs(toY - y), 1));
    for (let k = 0; k <= steps; k++) {
      const t = k / steps;
      this.touch(Math.round(x + t * (toX - x)), Math.round(y + t * (toY - y)), colour, 160);
    }
  }

  /** Whether some of a circle is on the page: its nearest point within, its farthest beyond. */
  crosses(x: number, y: number, radius: number): boolean {
    const { width, height } = this;
    const [dx, dy] = [Math.max(-x, x - width, 0), Math.max(-y, y - height, 0)];
    const [farX, farY] = [Math.max(x, width - x), Math.max(y, height - y)];
    return dx * dx + dy * dy < radius * radius && radius * radius < farX * farX + farY * farY;
  }

  /** A circle around a place, by its eight equal parts; smooth, a pixel is mixed by how much of it the line covers. */
  circle(x: number, y: number, radius: number, colour: number, strength = 255): void {
    const [cx, cy] = [Math.round(x), Math.round(y)];
    const rim = radius + 1;
    if (strength === 255 && cx > rim && cy > rim && cx < this.width - rim && cy < this.height - rim) return this.whole(cx, cy, radius, colour);
    for (let k = 0; k + 0.5 <= radius * Math.SQRT1_2; k++) {
      const reach = Math.sqrt(radius ** 2 - (k + 0.5) ** 2) - 0.5;
      if (strength === 255) this.eight(cx, cy, k, Math.round(reach), colour, 255);
      else {
        const j = Math.floor(reach);
        this.eight(cx, cy, k, j, colour, strength * (1 - reach + j));
        this.eight(cx, cy, k, j + 1, colour, strength * (reach - j));
      }
    }
  }

  /** A circle that is all on the page, as it is: no edge to look out for, which takes a third of the time. */
  private whole(x: number, y: number, radius: number, colour: number): void {
    const { pixels, width } = this;
    for (let k = 0; k + 0.5 <= radius * Math.SQRT1_2; k++) {
      const j = Math.round(Math.sqrt(radius * radius - (k + 0.5) * (k + 0.5)) - 0.5);
      const [low, high] = [(y + j) * width + x, (y - 1 - j) * width + x];
      const [under, over] = [(y + k) * width + x, (y - 1 - k) * width + x];
      pixels[low + k] = pixels[low - 1 - k] = pixels[high + k] = pixels[high - 1 - k] = colour;
      pixels[under + j] = pixels[under - 1 - j] = pixels[over + j] = pixels[over - 1 - j] = colour;
    }
  }

  /** The pixels that mirror one another across both axes and the diagonals of a corner of pixels. */
  private eight(x: number, y: number, a: number, b: number, colour: number, share: number): void {
    for (const [dx, dy] of [[a, b], [b, a]] as const) {
      this.touch(x + dx, y + dy, colour, share);
      this.touch(x + dx, y - 1 - dy, colour, share);
      this.touch(x - 1 - dx, y + dy, colour, share);
      this.touch(x - 1 - dx, y - 1 - dy, colour, share);
    }
  }

  private touch(x: number, y: number, colour: number, share: number): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return;
    const p = y * this.width + x;
    this.pixels[p] = share >= 255 ? colour : mixed(colour, this.pixels[p]!, share);
  }

  /** A stamp around a place: its opaque pixels as they are, the others mixed with what is below. */
  stamp({ width, height, pixels, opaque }: Stamp, x: number, y: number, strength = 1): void {
    const [left, top] = [Math.round(x - width / 2), Math.round(y - height / 2)];
    const [from, to] = [Math.max(-left, 0), Math.min(width, this.width - left)];
    if (from >= to) return;
    const last = Math.min(height, this.height - top);
    for (let row = Math.max(-top, 0); row < last; row++) {
      const source = row * width;
      const below = (top + row) * this.width + left;
      if (opaque && strength === 1) {
        this.pixels.set(pixels.subarray(source + from, source + to), below + from);
        continue;
      }
      for (let c = from; c < to; c++) {
        const colour = pixels[source + c]!;
        const share = (colour >>> 24) * strength;
        if (share >= 255) this.pixels[below + c] = colour;
        else if (share > 0) this.pixels[below + c] = mixed(colour, this.pixels[below + c]!, share);
      }
    }
  }
}

/** So many 255ths of the colour above, the rest of the one below: red and blue at once, then green. */
export function mixed(above: number, below: number, share: number): number {
  const part = Math.round((share * 256) / 255);
  const odd = below & 0xff00ff;
  const even = below & 0xff00;
  const redBlue = (odd + (Math.imul((above & 0xff00ff) - odd, part) >> 8)) & 0xff00ff;
  const green = (even + ((((above & 0xff00) - even) * part) >> 8)) & 0xff00;
  return (redBlue | green | 0xff000000) >>> 0;
}

/** A colour as the style sheet writes it, #rgb or #rrggbb, as a pixel. */
export function pixelOf(colour: string): number {
  const hex = colour.length === 4 ? colour.replace(/[^#]/g, "$&$&") : colour;
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return (r! | (g! << 8) | (b! << 16) | 0xff000000) >>> 0;
}

/** What is drawn on a small canvas, as a stamp. */
export function stamped(width: number, height: number, draw: (pen: CanvasRenderingContext2D) => void): Stamp {
  const pen = scratch(width, height);
  draw(pen);
  const { data } = pen.getImageData(0, 0, width, height);
  const pixels = new Uint32Array(data.buffer);
  return { width, height, pixels, opaque: pixels.every((pixel) => pixel >>> 24 === 255) };
}

let pad: CanvasRenderingContext2D | null = null;

function scratch(width: number, height: number): CanvasRenderingContext2D {
  pad ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
  const { canvas } = pad;
  if (canvas.width < width || canvas.height < height) {
    canvas.width = Math.max(canvas.width, width);
    canvas.height = Math.max(canvas.height, height);
  }
  pad.setTransform(1, 0, 0, 1, 0, 0);
  pad.clearRect(0, 0, width, height);
  return pad;
}
