/** Whether headphones are worn: of three tones one is quieter, and one is in antiphase, which from
 * loudspeakers is the quieter one (Woods, Siegel, Traer & McDermott, 2017). */
import { h } from "../dom";
import { say } from "../strings";
import { primary, sheet, type Measured } from "./sheet";

const HERTZ = 200;
const TONE_S = 1;
const RAMP_S = 0.1;
const PAUSE_S = 0.5;
const LOUD = 0.35;
const QUIET = LOUD * 10 ** (-6 / 20); // 6 dB less
const TRIALS = 6;
const ENOUGH = 5;

/** Which tone is quieter, and which in antiphase: each place is the quieter one equally often. */
interface Trial {
  quiet: number;
  turned: number;
}

export function trials(random = Math.random): Trial[] {
  const drawn = Array.from({ length: TRIALS }, (_, n) => {
    const quiet = n % 3;
    return { quiet, turned: (quiet + (random() < 0.5 ? 1 : 2)) % 3, order: random() };
  });
  return drawn.sort((one, other) => one.order - other.order);
}

/** How many of the trials were right; whoever has too few is told what follows. */
export function headphones(display: HTMLElement, needed: boolean): Measured {
  if (typeof AudioContext === "undefined") return Promise.resolve(null);
  return new Promise((resolve) => {
    const [context, plan] = [new AudioContext(), trials()];
    let [n, right] = [0, 0];
    const told = h("p", { role: "status" });
    const play = primary(say("headphones.play"), () => void hear());
    const tones = [0, 1, 2].map((place) => {
      const choose = { class: "secondary", type: "button", disabled: true, click: () => take(place) };
      return h("button", choose, say("headphones.tone", { n: place + 1 }));
    });
    const pass = () => end(null);
    const rows = [[play], tones].map((row) => h("div", { class: "buttons" }, ...row));

    const begin = () => {
      told.textContent = say("headphones.round", { n: n + 1, total: TRIALS });
      play.disabled = false;
      for (const tone of tones) tone.disabled = true;
      play.focus();
    };
    const hear = async () => {
      play.disabled = true; // once
      await sound(context, plan[n]!);
      for (const tone of tones) tone.disabled = false;
      tones[0]!.focus();
    };
    const take = (place: number) => {
      right += Number(place === plan[n]!.quiet);
      n += 1;
      if (n < TRIALS) begin();
      else end(right);
    };
    const end = (result: number | null) => {
      void context.close();
      if (result !== null && result >= ENOUGH) return resolve(result);
      const go = primary(say("continue"), () => resolve(result));
      const text = h("p", { role: "status" }, say(needed ? "headphones.refused" : "headphones.failed"));
      const title = h("h1", {}, say("headphones.title"));
      const buttons = h("div", { class: "buttons" }, go);
      display.replaceChildren(h("article", { class: "page" }, title, text, buttons));
      go.focus();
    };
    sheet(display, "headphones", {}, pass, told, ...rows);
    begin();
  });
}

/** Three tones, one after the other; resolves when the last is over. */
async function sound(context: BaseAudioContext, { quiet, turned }: Trial): Promise<void> {
  if (context instanceof AudioContext) await context.resume();
  const first = context.currentTime + 0.1;
  const tones = [0, 1, 2].map((place) => {
    const begin = first + place * (TONE_S + PAUSE_S);
    return tone(context, begin, place === quiet ? QUIET : LOUD, place === turned ? -1 : 1);
  });
  await new Promise((over) => tones[2]!.addEventListener("ended", over));
}

/** A tone in both ears, the right one of which may be turned over. */
function tone(context: BaseAudioContext, begin: number, loud: number, right: number): OscillatorNode {
  const end = begin + TONE_S;
  const oscillator = new OscillatorNode(context, { frequency: HERTZ, type: "sine" });
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.setValueAtTime(0, begin);
  gain.gain.linearRampToValueAtTime(loud, begin + RAMP_S);
  gain.gain.setValueAtTime(loud, end - RAMP_S);
  gain.gain.linearRampToValueAtTime(0, end);
  const ears = new ChannelMergerNode(context, { numberOfInputs: 2 });
  oscillator.connect(gain).connect(ears, 0, 0);
  gain.connect(new GainNode(context, { gain: right })).connect(ears, 0, 1);
  ears.connect(context.destination);
  oscillator.start(begin);
  oscillator.stop(end);
  return oscillator;
}
