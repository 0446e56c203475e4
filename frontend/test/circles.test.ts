import { beforeAll, expect, test } from "vitest";
import { Raster } from "../src/map/raster";
import { Space } from "../src/map/space";

beforeAll(() => {
  globalThis.ImageData ??= class {
    data: Uint8ClampedArray;
    constructor(width: number, height: number) {
      this.data = new Uint8ClampedArray(4 * width * height);
    }
  } as unknown as typeof ImageData;
});

const [WHITE, BLACK] = [0xffffffff, 0xff000000];

function drawn(size: number, x: number, y: number, radius: number, strength: number): number[] {
  const raster = new Raster(size, size);
  raster.clear(WHITE);
  raster.circle(x, y, radius, BLACK, strength);
  return [...new Uint32Array(raster.image.data.buffer)].map((pixel) => 1 - (pixel & 255) / 255);
}

test.each([255, 200])("a circle is where its radius says, and nowhere else", (strength) => {
  const [size, middle, radius] = [64, 32, 20.3];
  const ink = drawn(size, middle, middle, radius, strength);
  let total = 0;
  ink.forEach((dark, p) => {
    const away = Math.hypot((p % size) + 0.5 - middle, Math.floor(p / size) + 0.5 - middle);
    if (Math.abs(away - radius) > 1.5) expect(dark).toBe(0);
    total += dark;
  });
  const around = 2 * Math.PI * radius * (strength / 255);
  expect(total).toBeGreaterThan(0.8 * around);
  expect(total).toBeLessThan(1.2 * around);
});

test("what of a circle is on the page is drawn as if all were", () => {
  const whole = drawn(96, 48, 48, 30, 255);
  const part = drawn(48, 0, 0, 30, 255); // its lower right quarter
  for (let y = 0; y < 48; y++)
    for (let x = 0; x < 48; x++) expect(part[y * 48 + x]).toBe(whole[(y + 48) * 96 + x + 48]);
});

test("only circles that cross the page are drawn", () => {
  const raster = new Raster(100, 50);
  expect(raster.crosses(50, 25, 10)).toBe(true);
  expect(raster.crosses(50, 25, 60)).toBe(false); // around all of it
  expect(raster.crosses(-20, 25, 10)).toBe(false);
  expect(raster.crosses(-20, 25, 30)).toBe(true);
});

test("items that came later wait where they will be, and are nobody's neighbours before", () => {
  const points = [[0, 0], [1, 0], [0.1, 0]];
  const frames = [{ name: "before", points: [[0, 0], [2, 0]] }];
  const space = new Space({ names: ["a", "b", "c"], points, frames, uncertainty: [1, 2, 3], name: "now" });
  expect(space.nearest(0, 2).map((one) => one.item)).toEqual([2, 1]);
  expect(space.uncertainty).toEqual([1, 2, 3]);
  space.frame = 0;
  expect([0, 1, 2].map((item) => space.placed(item))).toEqual([true, true, false]);
  expect(space.nearest(0, 2).map((one) => one.item)).toEqual([1]);
  expect(space.points[4]).toBe(0.1);
  expect(space.uncertainty).toBeNull();
  expect(space.frames.map((one) => one.name)).toEqual(["before", "now"]);
});
