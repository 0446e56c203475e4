import { beforeEach, expect, test } from "vitest";
import { HandWatch } from "../src/hand";

let watch: HandWatch;

beforeEach(() => {
  watch = new HandWatch();
});

function pointer(type: "pointermove" | "pointerdown", x: number, y: number, by = "mouse", trusted = true): void {
  const event = new PointerEvent(type, { clientX: x, clientY: y, pointerType: by });
  Object.defineProperty(event, "isTrusted", { value: trusted });
  window.dispatchEvent(event);
}

test("a mouse that goes its way is told by its moves and how far it came", () => {
  pointer("pointermove", 0, 0);
  watch.begin();
  for (const x of [10, 20, 30]) pointer("pointermove", x, 40);
  pointer("pointerdown", 30, 40);
  expect(watch.end()).toMatchObject({ moves: 3, way: 50, synthetic: 0 });
});

test("the next way begins where the mouse was pressed before", () => {
  pointer("pointermove", 0, 0);
  pointer("pointerdown", 30, 40);
  watch.begin();
  pointer("pointerdown", 30, 40);
  expect(watch.end()).toMatchObject({ moves: 0, way: 0 });
});

test("where a mouse was first, nobody knows", () => {
  watch.begin();
  pointer("pointerdown", 300, 40);
  expect(watch.end().way).toBeNull();
});

test("touch and pen have no way, and a question that has no press neither", () => {
  pointer("pointermove", 0, 0);
  watch.begin();
  pointer("pointermove", 300, 0, "touch");
  pointer("pointerdown", 300, 0, "touch");
  expect(watch.end()).toMatchObject({ moves: 0, way: null });
});

test("events of a script are counted, of each question alone", () => {
  watch.begin();
  pointer("pointerdown", 5, 5, "mouse", false);
  window.dispatchEvent(new KeyboardEvent("keydown", { key: "1" }));
  window.dispatchEvent(new MouseEvent("click"));
  expect(watch.end().synthetic).toBe(3);
  watch.begin();
  expect(watch.end().synthetic).toBe(0);
});

test("what is pasted is counted once", () => {
  window.dispatchEvent(new Event("paste"));
  window.dispatchEvent(new Event("paste"));
  expect([watch.pasted(), watch.pasted()]).toEqual([2, 0]);
});
