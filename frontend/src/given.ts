/** A question whose answer takes several acts, and is given by a button. */
import { h } from "./dom";
import { Scene, type Input } from "./scene";
import { say } from "./strings";
import type { Parameters } from "./plugins/parameters";

export abstract class GivenScene extends Scene {
  protected readonly buttons: HTMLElement[];
  protected readonly names: string[];
  private readonly left = h("small", { class: "left" });
  private readonly done = h("button", { class: "primary", type: "button", disabled: true });
  private readonly said = h("p", { class: "said unseen", role: "status" });

  constructor(display: HTMLElement, trial: Parameters, look: string) {
    super(display, trial, false);
    this.buttons = this.options.map((option) => option.querySelector<HTMLElement>(".choose") ?? option);
    this.names = this.buttons.map(
      (button, n) => button.getAttribute("aria-label") ?? trial.options[n]!.text ?? "",
    );
    this.done.append(say("arrange.done"), this.left);
    const give = (event: MouseEvent) => this.give(event);
    this.done.addEventListener("click", give, { signal: this.stop.signal });
    this.section.classList.add("arranging", look);
    this.section.querySelector(".keys")!.replaceWith(this.said, h("div", { class: "acts" }, this.done));
  }

  /** How many acts are left to do. */
  protected abstract get missing(): number;

  /** What is sent, when nothing is left to do. */
  protected abstract response(): Record<string, unknown>;

  /** Show what was done so far. */
  protected update(): void {
    this.done.disabled = this.missing > 0;
    this.left.textContent = this.missing ? say("arrange.left", { n: this.missing }) : "";
  }

  /** Say to who does not see it what was done, and what is left. */
  protected tell(text: string): void {
    this.said.textContent = `${text} ${this.left.textContent}`;
  }

  private give(event: MouseEvent): void {
    if (!this.listened()) return;
    const input: Input = event.detail === 0 ? "keyboard" : this.pointer;
    this.decide({ place: null, at: event.timeStamp, input, response: this.response() });
  }
}
