/** How far somebody sits from the screen: a dot is not seen where it falls on the blind spot (Li et
 * al., 2020). The left eye's is to the left of what it looks at, in every language. */
import { h } from "../dom";
import { say } from "../strings";
import { primary, sheet, type Measured } from "./sheet";

const BLIND = Math.tan((13.5 * Math.PI) / 180); // where the blind spot is, from what is looked at
const TIMES = 5;
const FIRST_CM = 4; // from the cross: nearer than anybody's blind spot
const SPEED = 2; // cm in a second
const EDGE = 24; // pixels of the cross, and of the dot, to the border

/** Centimetres, by the median of some passes. */
export function distance(display: HTMLElement, pixels_per_cm: number | null): Measured {
  if (pixels_per_cm === null) return Promise.resolve(null);
  return new Promise((resolve) => {
    const found: number[] = [];
    let [began, frame] = [0, 0]; // of a pass; 0: none is on its way
    const dot = h("div", { class: "dot", hidden: true });
    const cross = h("div", { class: "fixation" }, "+");
    const field = h("div", { class: "sweep", dir: "ltr", "aria-hidden": "true" }, dot, cross);
    const said = h("p", { role: "status" });
    const go = primary(say("distance.start"), (event) => (began ? gone(event) : start()));
    const finish = (result: number | null) => {
      cancelAnimationFrame(frame);
      resolve(result);
    };

    const start = () => {
      began = performance.now();
      dot.hidden = false;
      go.textContent = say("distance.gone");
      move(began);
    };
    const at = (now: number) => FIRST_CM + (SPEED * Math.max(0, now - began)) / 1000;
    const move = (now: number) => {
      const x = at(now) * pixels_per_cm;
      if (x > field.clientWidth - 2 * EDGE) return rest(say("distance.missed"));
      dot.style.transform = `translateX(${-x}px)`;
      frame = requestAnimationFrame(move);
    };
    const rest = (text: string) => {
      cancelAnimationFrame(frame);
      [began, dot.hidden] = [0, true];
      [go.textContent, said.textContent] = [say("distance.start"), text];
    };
    const gone = (event: Event) => {
      found.push(at(event.timeStamp));
      rest(say("progress", { done: found.length, total: TIMES }));
      const middle = found.sort((one, other) => one - other)[Math.floor(TIMES / 2)]!;
      if (found.length === TIMES) finish(Math.round((10 * middle) / BLIND) / 10);
    };
    sheet(display, "distance", { times: TIMES }, () => finish(null), field, said, go);
    go.focus();
  });
}
