/** What a question looks like: prompt, head, options, skip; and how an answer is given. */
import { HEAD_GAP, layOut, type Layout } from "./layout";
import { showAfter, show } from "./clock";
import { h } from "./dom";
import { blank } from "./media";
import { LONGEST_REASON, type ClientReport, type Item } from "./protocol";
import { fitText } from "./text";
import { skipButton } from "./skip";
import { mirrored, say } from "./strings";
import { allHeard, playsOf, start, tile } from "./tile";
import type { Data, Parameters } from "./plugins/parameters";

/** Sooner than this nobody answers what they have seen: it was meant for the trial before. */
const TOO_SOON_MS = 150;
/** Sooner than this nobody has read in which way: a second Enter or click was meant for the answer. */
const UNREAD_MS = 500;
const LABEL_HEIGHT = 84;

export type Input = ClientReport["input"];

export interface Choice {
  place: number | null; // null: skipped, or there is a response
  response?: Record<string, unknown>; // what is sent, where it is more than a place
  at: number; // on the clock of performance.now()
  input: Input;
}

export class Scene {
  readonly head: HTMLElement | null;
  readonly options: HTMLElement[];
  private readonly answers: HTMLElement[]; // what is chosen: the options, or labels
  private readonly labels: HTMLElement | null;
  protected readonly section: HTMLElement;
  protected readonly field = h("div", { class: "field" });
  protected readonly row = h("div", { class: "options", role: "group", "aria-labelledby": "prompt" });
  private readonly skip: HTMLButtonElement | null;
  protected readonly stop = new AbortController();
  private readonly reminder = h("p", { class: "reminder", role: "status" });
  private arrangement: Layout | null = null;
  private since = Infinity;
  protected pointer: Input = "mouse";
  protected decide: (choice: Choice) => void = () => {};
  private readonly decision = new Promise<Choice>((resolve) => (this.decide = resolve));

  constructor(
    display: HTMLElement,
    protected readonly trial: Parameters,
    private readonly arrowsChoose: boolean,
    labels: string[] | null = null,
  ) {
    const first = trial.head ? 1 : 0;
    const media = (item: Item, n: number) => trial.media?.(n) ?? blank(item);
    this.head = trial.head && tile(trial.head, media(trial.head, 0), null);
    this.options = trial.options.map((item, n) =>
      tile(item, media(item, first + n), n, labels === null),
    );
    this.answers = labels ? labels.map(labelled) : this.options;
    this.labels = labels && h("div", { class: "labels", role: "group" }, ...this.answers);
    this.row.append(...this.options);
    this.skip = skipButton(trial);
    this.section = this.whole();
    display.append(this.section);
    this.hide(this.row);
    if (this.labels) this.hide(this.labels);
    if (this.head) this.hide(this.head);
    this.listen();
  }

  /** How often each sound or film was started, head first; null without any. */
  get plays(): number[] | null {
    return playsOf(this.head ? [this.head, ...this.options] : this.options);
  }

  /** Tiles of one size, as large as the room allows; the head among them, or in the middle. */
  layTiles(headStays: boolean): void {
    const head = headStays && this.head !== null;
    this.field.append(...(head ? [this.head!] : []), this.row);
    this.layRow(() => 0, head);
  }

  /** The options as large as the room allows, and the head if it is above them. */
  private layRow(taken: () => number, head: boolean): void {
    const text = this.trial.options.every((item) => item.type === "text");
    const shape = text ? { aspect: 2.6, largest: 150 } : { aspect: 1, largest: 340 };
    const wanted = { options: this.options.length, head, fill: text, ...shape };
    this.lay((width, height) => {
      this.arrangement = layOut(width, height - taken(), wanted);
      return this.arrangement;
    });
  }

  /** Two or more tiles side by side, the labels below them, and what the first and last one mean. */
  layRated(low: string, high: string): void {
    const ends = h("div", { class: "ends" }, h("span", {}, low), h("span", {}, high));
    this.labels!.append(ends);
    this.field.append(this.row, this.labels!);
    this.layRow(() => this.labels!.offsetHeight + HEAD_GAP, false);
  }

  /** The head as large as possible above a row of labels. */
  layLabels(): void {
    this.field.append(this.head!, this.row);
    this.field.classList.add("labelled");
    this.lay((width, height) => {
      const side = Math.floor(Math.max(0, Math.min(width, height - LABEL_HEIGHT, 460)));
      this.sharpen(side);
      return { columns: 2, width: side, height: side };
    });
  }

  /** A head of few pixels, as noise is, is enlarged in squares rather than blurred. */
  private sharpen(side: number): void {
    const image = this.head!.querySelector("img");
    const few = image !== null && 2 * image.naturalWidth <= side * devicePixelRatio;
    image?.classList.toggle("squares", few);
  }

  /** Head and options come on the screen. */
  reveal(): void {
    this.center(null);
    for (const part of [this.head, this.row, this.labels]) if (part?.isConnected) part.style.visibility = "";
    for (const tile of this.field.querySelectorAll<HTMLElement>(".tile")) start(tile);
  }

  hide(...elements: HTMLElement[]): void {
    for (const element of elements) element.style.visibility = "hidden";
  }

  /** One thing alone in the middle, or nothing. */
  center(element: HTMLElement | null): void {
    this.field.querySelector(".centered")?.remove();
    if (!element) return;
    element.style.visibility = "";
    this.field.append(h("div", { class: "centered" }, element));
    start(element);
  }

  async fixate(ms: number): Promise<void> {
    if (ms <= 0) return;
    const cross = h("div", { class: "fixation", "aria-hidden": "true" }, "+");
    const shown = await show(() => this.center(cross));
    await showAfter(shown, ms, () => this.center(null));
  }

  /** The answer, timed from `since`. */
  choice(since: number): Promise<Choice> {
    this.since = since;
    this.field.parentElement!.dataset["open"] = this.trial.seed;
    return this.decision;
  }

  /** Ask in which way below what was compared; "" where that is skipped. */
  ask(words: string, chosen: number): Promise<string> {
    this.since = Infinity; // what was compared stays, but is no longer chosen
    this.answers[chosen]!.classList.add("chosen");
    const hint = say("reason.hint");
    const limits = { maxlength: LONGEST_REASON, enterkeyhint: "send" };
    const input = h("input", { type: "text", autocomplete: "off", placeholder: hint, ...limits });
    const skip = h("button", { class: "secondary", type: "button" }, say("skip"));
    const go = h("button", { class: "primary" }, say("continue"));
    const form = h("form", { class: "reason" }, h("label", {}, h("span", {}, words), input), go, skip);
    form.addEventListener("keydown", (event) => {
      event.stopPropagation(); // no answers
      if (event.repeat && event.key === "Enter") event.preventDefault(); // held since the answer
    });
    this.section.querySelector("footer")!.replaceWith(form);
    window.dispatchEvent(new Event("resize")); // the form takes room from the tiles
    input.focus();
    const read = performance.now() + UNREAD_MS;
    return new Promise((resolve) => {
      const send = (event: Event, text: string) => {
        event.preventDefault();
        if (text || event.timeStamp > read) resolve(text);
      };
      skip.addEventListener("click", (event) => send(event, ""));
      form.addEventListener("submit", (event) => send(event, input.value.trim()));
    });
  }

  /** A simulated person answers so long after the clock began. */
  pickLater({ chosen: place, response, rt }: Data): void {
    const more = response ? { response } : {};
    setTimeout(() => this.decide({ place, at: performance.now(), input: "simulated", ...more }), rt);
  }

  /** Say whether the answer was right, where it was given. */
  mark(place: number | null, right: boolean): void {
    const words = say(right ? "right" : "wrong");
    const sign = h("span", { class: right ? "sign right" : "sign wrong", role: "status" });
    (place === null ? this.field : this.answers[place]!).append(sign);
    sign.append(h("span", { "aria-hidden": "true" }, right ? "✓" : "✗"), h("b", {}, words));
  }

  close(): void {
    this.stop.abort();
  }

  private whole(): HTMLElement {
    const keys = this.arrowsChoose ? say("keys.two") : say("keys.one", { keys: this.keys() });
    return h(
      "section",
      { class: "question", "aria-labelledby": "prompt" },
      h("h1", { id: "prompt" }, this.trial.prompt),
      this.field,
      this.reminder,
      h("footer", {}, h("span", { class: "keys", "aria-hidden": "true" }, keys), this.skip),
    );
  }

  private keys(): string {
    const last = Math.min(9, this.answers.length);
    return last === 2 ? "1, 2" : `1–${last}`;
  }

  /** Give the tiles their size now, and again whenever the room changes. */
  private lay(arrangement: (width: number, height: number) => Layout): void {
    const measure = () => {
      const { clientWidth, clientHeight } = this.field;
      const { columns, width, height } = arrangement(clientWidth, clientHeight);
      this.field.style.setProperty("--columns", String(columns));
      this.field.style.setProperty("--width", `${width}px`);
      this.field.style.setProperty("--height", `${height}px`);
      fitText(this.field);
    };
    measure();
    window.addEventListener("resize", measure, { signal: this.stop.signal });
  }

  private listen(): void {
    const { signal } = this.stop;
    const pointed = (event: PointerEvent) => (this.pointer = event.pointerType as Input);
    window.addEventListener("pointerdown", pointed, { signal });
    window.addEventListener("keydown", (event) => this.press(event), { signal });
    this.skip?.addEventListener("click", (event) => this.click(event, null), { signal });
    this.answers.forEach((option, place) => {
      const button = option.matches("button") ? option : option.querySelector(".choose")!;
      button.addEventListener("click", (event) => this.click(event as MouseEvent, place), {
        signal,
      });
    });
  }

  private click(event: MouseEvent, place: number | null): void {
    this.take(place, event, event.detail === 0 ? "keyboard" : this.pointer);
  }

  private take(place: number | null, event: Event, input: Input): void {
    if (event.timeStamp < this.since + TOO_SOON_MS) return;
    if (input === "keyboard") event.preventDefault(); // the key is not typed into what comes next
    if (place === null || this.listened()) this.chosen(place, event, input);
  }

  /** Say whether an answer may be given: not before all sounds were heard. */
  protected listened(): boolean {
    if (allHeard(this.field)) return true;
    this.reminder.textContent = say("play.first");
    return false;
  }

  /** What comes of a choice: it is the answer. */
  protected chosen(place: number | null, event: Event, input: Input): void {
    this.decide({ place, at: event.timeStamp, input });
    if (place !== null) this.answers[place]!.classList.add("chosen");
  }

  private press(event: KeyboardEvent): void {
    if (event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    if (/^[1-9]$/.test(event.key)) this.digit(Number(event.key) - 1, event);
    else if (event.key.startsWith("Arrow")) this.arrow(event);
  }

  /** A number was pressed: it chooses the option of that place. */
  protected digit(place: number, event: KeyboardEvent): void {
    if (this.answers[place]) this.take(place, event, "keyboard");
  }

  /** Arrows choose the left or the right of two, or move the focus over the grid. */
  private arrow(event: KeyboardEvent): void {
    event.preventDefault();
    const [right, dy] = ARROWS[event.key]!;
    const dx = mirrored() ? -right : right; // the arrow of what one sees there
    if (this.arrowsChoose) {
      if (dx) this.take(dx < 0 ? 0 : 1, event, "keyboard");
      return;
    }
    const buttons = this.answers.map((option) => option.querySelector(".choose") ?? option);
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    const columns = this.labels ? buttons.length : (this.arrangement?.columns ?? 1);
    const next = at < 0 ? 0 : at + dx + dy * columns;
    (buttons[next] as HTMLElement | undefined)?.focus();
  }
}

function labelled(label: string): HTMLElement {
  const text = h("p", { class: "text" }, label);
  return h("button", { class: "tile option of-text", type: "button" }, text);
}

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
