/** A question of which several options are picked, together or in order, before they are given. */
import { h } from "./dom";
import { GivenScene } from "./given";
import type { Input } from "./scene";
import { say } from "./strings";
import type { Parameters } from "./plugins/parameters";

/** What `extra` holds: how many are picked, and whether in order, which all are in the end. */
export interface Picks {
  picks: number;
  ordered: boolean;
}

export class PickingScene extends GivenScene {
  private picked: number[] = [];

  constructor(
    display: HTMLElement,
    trial: Parameters,
    private readonly wanted: Picks,
  ) {
    super(display, trial, wanted.ordered ? "ranked" : "unranked");
    this.update();
  }

  protected override get missing(): number {
    return this.wanted.picks - this.picked.length;
  }

  protected override response(): Record<string, unknown> {
    return { picked: this.wanted.ordered ? this.picked : [...this.picked].sort((a, b) => a - b) };
  }

  /** An option is picked, or is picked no longer; in order, those after it neither. */
  protected override chosen(place: number | null, event: Event, input: Input): void {
    if (place === null) return super.chosen(place, event, input);
    const { picks, ordered } = this.wanted;
    const at = this.picked.indexOf(place);
    if (at < 0 && this.missing > 0) this.picked.push(place);
    else if (at >= 0 && ordered) this.picked.length = Math.min(at, picks - 2); // the last follows
    else this.picked = this.picked.filter((one) => one !== place);
    if (ordered && this.missing === 1) this.picked.push(this.rest()[0]!);
    this.update();
    const n = this.picked.indexOf(place) + 1;
    const said = !n ? "pick.out" : ordered ? "pick.rank" : "pick.in";
    this.tell(say(said, { name: this.names[place]!, n }));
  }

  private rest(): number[] {
    return this.options.map((_, place) => place).filter((place) => !this.picked.includes(place));
  }

  protected override update(): void {
    super.update();
    for (const [place, option] of this.options.entries()) this.show(option, place);
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
}
