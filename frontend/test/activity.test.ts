// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { drawActivity } from "../src/desk/activity";

test("times are those of the zone, of hours and of days", () => {
  const figure = document.createElement("figure");
  const noon = Date.UTC(2026, 6, 1, 12) / 1000;
  const told = { width: 3600, bins: [[noon, 3, 1]] as [number, number, number][], zone: "Asia/Tokyo" };
  const hours = drawActivity(figure, told)!;
  expect(hours.querySelector("rect title")!.textContent).toMatch(/^1 Jul, 21:00 Asia\/Tokyo: 3 answers/);
  expect(hours.textContent).toContain("Asia/Tokyo");
  expect(hours.textContent).toMatch(/\b2[0-2]:00/);
  expect(hours.textContent).not.toMatch(/UTC|\b12:00/);
  const days = drawActivity(figure, { ...told, bins: [[noon - 864000, 1, 0], ...told.bins] })!;
  expect(days.textContent).toMatch(/2\d Jun/);
});
