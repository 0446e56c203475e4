/** The size of the screen, by a card of known size that is held to it. */
import { h } from "../dom";
import { say } from "../strings";
import { primary, sheet, type Measured } from "./sheet";

const CARD_CM = [8.56, 5.398] as const; // ISO/IEC 7810 ID-1, as bank cards are
const USUAL = 96 / 2.54; // pixels of a centimetre, as style sheets take it
const LEAST = 20;
const MOST = 100;
const MARGIN = 48;

/** Pixels of the page in a centimetre; where the window is narrower than the card, it stands upright. */
export function scale(display: HTMLElement): Measured {
  const [long, short] = CARD_CM;
  const upright = innerWidth < long * 1.5 * USUAL;
  const [across, down] = upright ? [short, long] : [long, short];
  const max = Math.min(MOST, (innerWidth - MARGIN) / across);
  return new Promise((resolve) => {
    const card = h("div", { class: "bank-card", "aria-hidden": "true" });
    const look = { min: LEAST, max, step: 0.1, value: USUAL, "aria-label": say("scale.slider") };
    const slider = h("input", { type: "range", ...look });
    const done = primary(say("scale.done"), () => resolve(Number(slider.value)));
    const draw = (event?: Event) => {
      card.style.width = `${across * Number(slider.value)}px`;
      card.style.height = `${down * Number(slider.value)}px`;
      done.disabled = !event; // until the outline was changed
    };
    slider.addEventListener("input", draw);
    draw();
    sheet(display, "scale", {}, () => resolve(null), card, slider, done);
    slider.focus();
  });
}
