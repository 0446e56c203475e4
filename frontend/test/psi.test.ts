// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { drawPsi, type Psi } from "../src/desk/psi";

test("each bin has a dot with its interval, and psi is one line", () => {
  const told: Psi = {
    points: [[0.2, 0.48, 0.4, 0.56, 120], [1.5, 0.05, 0.02, 0.11, 90]],
    curve: [[0, 0.5], [0.8, 0.26], [1.6, 0.04]],
  };
  const drawn = drawPsi(document.createElement("figure"), told)!;
  expect(drawn.querySelectorAll("circle")).toHaveLength(2);
  expect(drawn.querySelectorAll("line.s0")).toHaveLength(2);
  expect(drawn.querySelectorAll("path.psi")).toHaveLength(1);
  expect(drawn.querySelector("circle title")!.textContent).toBe("distance 0.20: 48 % of 120 trials");
  expect(drawn.getAttribute("aria-label")).toContain("from 48 % at distance 0.20 to 5 % at 1.50");
});
