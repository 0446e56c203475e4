/** Maps over time: a slider, and a button that plays them. */
import { button, element } from "./dom";
import type { SimilarityMap } from "./map";

const EACH_MS = 1200;

/** Draw them, where there are maps over time. */
export function drawPlayer(map: SimilarityMap, holder: HTMLElement): void {
  const { frames } = map.space;
  holder.hidden = frames.length < 2;
  if (holder.hidden) return;
  const last = frames.length - 1;
  const slider = element("input", { type: "range", min: "0", max: String(last), step: "1", value: String(last), ariaLabel: "Time" });
  const name = element("output");
  let timer = 0;
  const show = (frame: number) => {
    slider.value = String(frame);
    slider.ariaValueText = name.textContent = frames[frame]!.name;
    map.show(frame);
  };
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    play.textContent = "▶";
    play.ariaLabel = "Play";
  };
  const play = button({}, () => {
    if (timer) return stop();
    show(Number(slider.value) === last ? 0 : Number(slider.value) + 1);
    timer = window.setInterval(() => {
      show(Number(slider.value) + 1);
      if (Number(slider.value) === last) stop();
    }, EACH_MS);
    play.textContent = "⏸";
    play.ariaLabel = "Pause";
  });
  slider.oninput = () => {
    stop();
    show(Number(slider.value));
  };
  stop();
  show(last);
  holder.append(play, slider, name);
  map.ended.signal.addEventListener("abort", stop);
}
