/** Draw the charts of a page from the numbers that stand in it. */
import { drawActivity, type Activity } from "./activity";
import { drawErrors, errorsLegend, type Errors } from "./errors";
import type { MapData } from "../map/data";
import { drawMap } from "./map";
import { drawPsi, type Psi } from "./psi";

const DRAWN: Record<string, (figure: HTMLElement, told: never) => (Element | null)[]> = {
  activity: (figure, told: Activity) => [drawActivity(figure, told)],
  errors: (figure, told: Errors) => [errorsLegend(told), drawErrors(figure, told)],
  map: (figure, told: MapData) => [drawMap(figure, told)],
  psi: (figure, told: Psi) => [drawPsi(figure, told)],
};

export function drawAll(root: Element): void {
  for (const part of [root, ...root.querySelectorAll("figure")]) {
    if (part instanceof HTMLElement && part.dataset["chart"]) draw(part);
  }
}

function draw(figure: HTMLElement): void {
  const numbers = figure.querySelector("script")!;
  const told = JSON.parse(numbers.textContent!) as never;
  for (const old of figure.querySelectorAll(":scope > svg, :scope > .legend")) old.remove();
  const drawn = DRAWN[figure.dataset["chart"]!]!(figure, told);
  numbers.after(...drawn.filter((one) => one !== null));
}
