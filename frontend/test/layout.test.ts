import { expect, test } from "vitest";
import { layOut, GAP, HEAD_GAP } from "../src/layout";

const picture = { aspect: 1, fill: false, largest: 340 };
const text = { aspect: 2.6, fill: true, largest: 150 };

test.each([
  [1248, 580],
  [370, 700],
  [340, 480],
])("every number of tiles fits %i x %i, with head and without", (width, height) => {
  for (const shape of [picture, text]) {
    for (const head of [true, false]) {
      for (let options = 2; options <= 16; options++) {
        const tiles = layOut(width, height, { options, head, ...shape });
        const rows = Math.ceil(options / tiles.columns);
        const above = head ? tiles.height + HEAD_GAP : 0;
        expect(tiles.columns * (tiles.width + GAP) - GAP).toBeLessThanOrEqual(width);
        expect(rows * (tiles.height + GAP) - GAP + above).toBeLessThanOrEqual(height);
        expect(Math.min(tiles.width, tiles.height)).toBeGreaterThan(20);
      }
    }
  }
});

test("two options are a left and a right one, more make the largest tiles", () => {
  expect(layOut(370, 700, { options: 2, head: true, ...picture }).columns).toBe(2);
  expect(layOut(1248, 580, { options: 8, head: true, ...picture }).columns).toBe(4);
  expect(layOut(370, 700, { options: 3, head: false, ...picture }).columns).toBe(1);
});
