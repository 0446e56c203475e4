/** A mask of grey noise, the same for the same seed. */
import { h } from "./dom";

const CELLS = 48; // per side: coarse enough to be seen, fine enough to hide

export function noise(seed: string): HTMLCanvasElement {
  const canvas = h("canvas", { width: CELLS, height: CELLS, class: "mask", "aria-hidden": "true" });
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(CELLS, CELLS);
  const random = generator(seed);
  for (let cell = 0; cell < image.data.length; cell += 4) {
    image.data.fill(256 * random(), cell, cell + 3);
    image.data[cell + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Uniform numbers in [0, 1): a linear congruential generator, started by the seed's hash. */
function generator(seed: string): () => number {
  let state = 2166136261; // FNV-1a
  for (const letter of seed) state = Math.imul(state ^ letter.codePointAt(0)!, 16777619);
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
