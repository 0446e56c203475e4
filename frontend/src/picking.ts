/** A question of which several options are picked, together or in order, before they are given. */
import { h } from "./dom";
import { Scene } from "./scene";
import { say } from "./strings";
import type { Parameters } from "./plugins/parameters";
import type { ClientReport } from "./protocol";

/** What `extra` holds: how many are picked, and whether in order, which all are in the end. */
export interface Picks {
  picks: number;
  ordered: boolean;
}

export class PickingScene extends Scene {
  private picked: number[] = [];
  private readonly names: string[];
  private readonly buttons: HTMLElement[];
  private readonly left = h("small", { class: "left" });
  private readonly done = h("button", { class: "primary", type: "button", disabled: true });
  private readonly said = h("p", { class: "said unseen", role: "status" });

  constructor(
    display: HTMLElement,
    trial: Parameters,
    private readonly wanted: Picks,
  ) {
    super(display, trial, false);
    this.buttons = this.options.map((option) => option.querySelector<HTMLElement>(".choose") ?? option);
    this.names = this.buttons.map(
      (button, n) => button.getAttribute("aria-label") ?? trial.options[n]!.text ?? "",
    );
    this.done.append(say("arrange.done"), this.left);
    const give = (event: MouseEvent) => this.give(event);
    this.done.addEventListener("click", give, { signal: this.stop.signal });
    this.section.classList.add("arranging", wanted.ordered ? "ranked" : "unranked");
    this.section.querySelector(".keys")!.replaceWith(this.said, h("div", { class: "acts" }, this.done));
    this.update();
  }

  /** An option is picked, or is picked no longer; in order, those after it neither. */
  protected override chosen(place: number | null, event: Event, input: ClientReport["input"]): void {
    if (place === null) return super.chosen(place, event, input);
    const { picks, ordered } = this.wanted;
    const at = this.picked.indexOf(place);
    if (at < 0 && this.picked.length < picks) this.picked.push(place);
    else if (at >= 0 && ordered) this.picked.length = Math.min(at, picks - 2); // the last follows
    else this.picked = this.picked.filter((one) => one !== place);
    if (ordered && this.picked.length === picks - 1) this.picked.push(this.rest()[0]!);
    this.update();
    const n = this.picked.indexOf(place) + 1;
    const said = say(!n ? "pick.out" : ordered ? "pick.rank" : "pick.in", { name: this.names[place]!, n });
    this.said.textContent = `${said} ${this.left.textContent}`;
  }

  private rest(): number[] {
    return this.options.map((_, place) => place).filter((place) => !this.picked.includes(place));
  }

  private update(): void {
    const left = this.wanted.picks - this.picked.length;
    this.done.disabled = left > 0;
    this.left.textContent = left ? say("arrange.left", { n: left }) : "";
    this.options.forEach((option, place) => this.show(option, place));
  }

  /** Show and say whether an option is picked, and as which. */
  private show(option: HTMLElement, place: number): void {
    const n = this.picked.indexOf(place) + 1;
    const [button, name, { ordered }] = [this.buttons[place]!, this.names[place]!, this.wanted];
    option.classList.toggle("chosen", n > 0);
    button.setAttribute("aria-pressed", String(n > 0));
    button.setAttribute("aria-label", n && ordered ? `${n}: ${name}` : name);
    option.querySelector(".rank")?.remove();
    if (!n) return;
    const sign = ordered ? String(n) : "✓";
    option.append(h("span", { class: "rank", "aria-hidden": "true" }, sign));
  }

  private give(event: MouseEvent): void {
    const input = event.detail === 0 ? "keyboard" : this.pointer;
    const response = { picked: this.wanted.ordered ? this.picked : [...this.picked].sort((a, b) => a - b) };
    this.decide({ place: null, at: event.timeStamp, input, response });
  }
}
