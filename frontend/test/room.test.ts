import { describe, expect, test } from "vitest";
import { free, isInside, layOut, reach, rounded, within } from "../src/arrange/room";

const ROOMS = [
  [1248, 570],
  [370, 640],
  [340, 440],
  [620, 220],
] as const;

describe.each(ROOMS)("in a room of %i by %i", (width, height) => {
  test.each([3, 8, 30])("%i things lie outside the circle and apart", (n) => {
    const room = layOut(width, height, n);
    expect(room.slots).toHaveLength(n);
    expect(room.width).toBeGreaterThanOrEqual(48);
    expect(2 * room.radius + room.width).toBeLessThanOrEqual(Math.min(width, height) + 0.001);
    for (const [k, { x, y }] of room.slots.entries()) {
      const beyond = reach(room, n, width); // the tray is scrolled to what lies there
      expect(Math.abs(x) + room.width / 2).toBeLessThanOrEqual(width / 2 + beyond + 0.001);
      expect(Math.abs(y - room.lift) + room.height / 2).toBeLessThanOrEqual(height / 2 + 0.001);
      expect(Math.hypot(x, y)).toBeGreaterThan(room.radius);
      for (const other of room.slots.slice(k + 1)) {
        const apart = Math.max(Math.abs(other.x - x), Math.abs(other.y - y));
        expect(apart).toBeGreaterThanOrEqual(room.width);
      }
    }
  });
});

test("many things are smaller than few", () => {
  expect(layOut(1248, 570, 30).width).toBeLessThan(layOut(1248, 570, 8).width);
});

test("a place beyond the rim is brought back to it, and rounding leaves it inside", () => {
  for (let turn = 0; turn < 6.28; turn += 0.01) {
    const place = within({ x: 3 * Math.cos(turn), y: 3 * Math.sin(turn) });
    const [x, y] = rounded(place);
    expect(Math.hypot(x, y)).toBeLessThanOrEqual(1);
    expect(Math.hypot(x - place.x, y - place.y)).toBeLessThan(2e-4);
  }
  expect(within({ x: 0.3, y: -0.4 })).toEqual({ x: 0.3, y: -0.4 });
  expect(rounded({ x: 0.29, y: -0.00001 })).toEqual([0.29, 0]);
  expect(isInside({ x: 0.8, y: 0.61 })).toBe(false);
});

test("what is put into the middle covers nothing that lies there", () => {
  const taken = [{ x: 0, y: 0 }];
  for (let n = 0; n < 10; n++) taken.push(free(taken, 0.2));
  for (const [k, one] of taken.entries()) {
    for (const other of taken.slice(k + 1)) {
      expect(Math.hypot(one.x - other.x, one.y - other.y)).toBeGreaterThanOrEqual(0.2);
    }
  }
});
