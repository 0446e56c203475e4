/** Arrangement: all options are dragged into a circle; their distances there are the answer. */
import { ParameterType } from "jspsych";
import { Board } from "../arrange/board";
import { within, rounded } from "../arrange/room";
import { Attention, pause, show } from "../clock";
import { h } from "../dom";
import type { ClientReport } from "../protocol";
import { skipButton } from "../skip";
import { allHeard } from "../tile";
import { say } from "../strings";
import { data, parameters, version, type Data, type Parameters } from "./parameters";
import { Simulated } from "./simulated";

const info = {
  name: "arrangement",
  version,
  parameters,
  data: {
    ...data,
    /** The place of each option in the circle, x to the right and y up; null: skipped. */
    response: { type: ParameterType.OBJECT },
  },
} as const;

type Places = [number, number][];
type Input = ClientReport["input"];

interface Given {
  places: Places | null;
  at: number;
  input: Input;
}

export default class Arrangement extends Simulated {
  static readonly info = info;

  async trial(display: HTMLElement, trial: Parameters, on_load?: () => void): Promise<Data> {
    const desk = new Desk(display, trial);
    on_load?.();
    const attention = new Attention();
    const shown = await show(() => desk.reveal());
    const given = this.simulated ? await later(this.simulated) : await desk.given;
    const told: Data = {
      chosen: null,
      response: given.places && { places: given.places },
      rt: given.at - shown,
      shown: performance.timeOrigin + shown,
      input: given.input,
      unfocused_ms: attention.end(),
      focus_losses: attention.losses,
      plays: desk.plays,
      timing: null,
    };
    await trial.submit?.(told);
    desk.close();
    return told;
  }

  protected draw(trial: Parameters) {
    return {
      chosen: null,
      response: { places: trial.options.map(anywhere) },
      rt: this.jsPsych.randomization.sampleExGaussian(3000, 400, 1 / 1000, true),
    };
  }
}

/** What is on the screen: the board, what is said of it, and the buttons. */
class Desk {
  readonly given: Promise<Given>;
  private readonly stop = new AbortController();
  private readonly board: Board;
  private readonly left = h("small", { class: "left" });
  private readonly done = h("button", { class: "primary", type: "button", disabled: true });
  private readonly undo = h("button", { class: "quiet undo", type: "button", disabled: true });
  private readonly skip: HTMLButtonElement | null;
  private readonly said = h("p", { class: "said", role: "status" });
  private pointer: Input = "mouse";

  constructor(
    display: HTMLElement,
    private readonly trial: Parameters,
  ) {
    const tell = (text: string) => (this.said.textContent = text);
    const media = (n: number) => trial.media?.(n);
    const { signal } = this.stop;
    this.board = new Board(trial.options, media, tell, () => this.update(), signal);
    this.done.append(say("arrange.done"), this.left);
    this.undo.append(say("arrange.undo"));
    this.skip = skipButton(trial);
    this.given = new Promise((resolve) => this.listen(resolve));
    display.append(this.section());
    this.board.field.style.visibility = "hidden";
    this.update();
    this.board.lay();
  }

  get plays(): number[] | null {
    return this.board.plays;
  }

  reveal(): void {
    this.board.field.style.visibility = "";
    this.board.field.parentElement!.dataset["open"] = this.trial.seed;
  }

  close(): void {
    this.stop.abort();
  }

  private section(): HTMLElement {
    const middle = h("div", { class: "acts" }, this.undo, this.done);
    return h(
      "section",
      { class: "question arranging", "aria-labelledby": "prompt" },
      h("h1", { id: "prompt" }, this.trial.prompt),
      this.board.field,
      h("footer", {}, this.said, middle, this.skip),
    );
  }

  private update(): void {
    const { left, places, canUndo } = this.board;
    this.done.disabled = places === null;
    this.undo.disabled = !canUndo;
    const same = !left && places === null;
    this.left.textContent = left ? say("arrange.left", { n: left }) : same ? say("arrange.same") : "";
  }

  private listen(give: (given: Given) => void): void {
    const { signal } = this.stop;
    const click = (places: Places | null) => (event: MouseEvent) =>
      give({ places, at: event.timeStamp, input: event.detail === 0 ? "keyboard" : this.pointer });
    const pointed = (event: PointerEvent) => (this.pointer = event.pointerType as Input);
    window.addEventListener("pointerdown", pointed, { signal, capture: true });
    window.addEventListener("keydown", (event) => this.press(event), { signal });
    this.skip?.addEventListener("click", click(null), { signal });
    this.done.addEventListener("click", (event) => {
      if (allHeard(this.board.field)) return click(this.board.places)(event);
      this.said.textContent = say("play.first");
    }, { signal });
    this.undo.addEventListener("click", () => this.board.undo(), { signal });
  }

  private press(event: KeyboardEvent): void {
    if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    this.board.undo();
  }
}

function anywhere(): [number, number] {
  const [far, turn] = [Math.sqrt(Math.random()), 2 * Math.PI * Math.random()];
  return rounded(within({ x: far * Math.cos(turn), y: far * Math.sin(turn) }));
}

/** A simulated person answers so long after the clock began. */
async function later(told: Data): Promise<Given> {
  await pause(told.rt);
  const places = (told.response?.["places"] ?? null) as Places | null;
  return { places, at: performance.now(), input: "simulated" };
}
