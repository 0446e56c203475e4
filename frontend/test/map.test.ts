import { expect, test } from "vitest";
import { levels, NEVER, sideFor } from "../src/map/detail";
import { mixed, pixelOf, Raster } from "../src/map/raster";

test("pictures that are shown cover each other little at every step, and all are shown in the end", () => {
  const n = 400;
  const wave = (i: number, by: number) => Math.sin(i * by) * 10;
  const xs = Float64Array.from({ length: n }, (_, i) => wave(i, 1.3));
  const ys = Float64Array.from({ length: n }, (_, i) => wave(i, 2.7));
  const [fit, gap] = [20, 0.3];
  const order = Array.from({ length: n - 1 }, (_, i) => i);
  const level = levels(xs, ys, order, fit, gap);
  expect(level[n - 1]).toBe(NEVER);
  expect(Math.max(...level.subarray(0, n - 1))).toBeLessThan(NEVER);
  for (const step of [0, 3, 8, 14]) {
    const scale = fit * 0.5 * 1.25 ** step;
    const apart = 0.8 * sideFor(gap * scale) - 1e-6;
    const shown = order.filter((i) => level[i]! <= step);
    for (const i of shown)
      for (const j of shown)
        if (i < j) expect(Math.max(Math.abs(xs[i]! - xs[j]!), Math.abs(ys[i]! - ys[j]!)) * scale).toBeGreaterThan(apart);
  }
});

test("colours mix by their share", () => {
  const [red, white] = [pixelOf("#f00"), pixelOf("#ffffff")];
  expect(mixed(red, white, 255)).toBe(red);
  expect(mixed(red, white, 0)).toBe(white);
  expect(mixed(white, pixelOf("#000"), 128) & 255).toBeCloseTo(128, -0.5);
});

test("marks over the edge are cut, not wrapped to the other side", () => {
  globalThis.ImageData ??= class {
    data: Uint8ClampedArray;
    constructor(width: number, height: number) {
      this.data = new Uint8ClampedArray(4 * width * height);
    }
  } as unknown as typeof ImageData;
  const raster = new Raster(4, 3);
  raster.clear(1);
  raster.square(4, 1, 4, 2);
  raster.stamp({ width: 2, height: 2, pixels: new Uint32Array(4).fill(0xff000003), opaque: true }, 0, 0);
  const pixels = new Uint32Array(raster.image.data.buffer);
  expect([...pixels]).toEqual([0xff000003, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2]);
});
