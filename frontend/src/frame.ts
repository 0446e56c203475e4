/** What stands around the trials: progress, the state of the connection, waiting, and questions of
 * the page's own. */
import { Refusal } from "./api";
import { h } from "./dom";
import type { Progress } from "./protocol";
import { canSay, say } from "./strings";

const PATIENT_MS = 300; // a shorter wait is not worth a word

export class Frame {
  readonly stage = h("main", { id: "stage" });
  private readonly bar = h("progress", { max: 1, value: 0 });
  private readonly count = h("span", { class: "count" });
  private readonly banner = h("div", { class: "banner", role: "status" });
  private readonly wait = h("div", { class: "wait", role: "status" });
  private readonly leave = h("button", { class: "leave", type: "button", hidden: true });
  private readonly voice = h("div", { class: "unseen", "aria-live": "polite" });

  constructor(
    title: string,
    readonly contact: string | null,
    menu: HTMLElement | null,
  ) {
    this.bar.setAttribute("aria-label", say("progress.label"));
    const name = h("span", { class: "title" }, h("bdi", {}, title));
    const header = h("header", {}, this.bar, name, this.count, this.leave, menu);
    document.body.append(header, this.stage, this.wait, this.banner, this.voice);
    this.progress(null);
  }

  /** Progress while questions are asked: "practice" before they count, null on other pages. */
  progress(progress: Progress | "practice" | null): void {
    const counted = progress !== null && progress !== "practice";
    this.bar.style.visibility = counted ? "" : "hidden";
    this.count.textContent = progress === "practice" ? say("practice") : "";
    if (!counted) return;
    const { done, total } = progress;
    this.bar.value = total ? done / total : 0;
    this.count.textContent = say("progress", { done, total });
  }

  /** Whether there is a button to stop taking part, what it says, and what it does. */
  offer(offered: boolean, label: string, withdraw: () => void): void {
    this.leave.hidden = !offered;
    this.leave.textContent = label;
    this.leave.onclick = () => {
      this.leave.blur(); // keys are for the question again
      withdraw();
    };
  }

  /** A word to those who listen instead of look. */
  announce(text: string): void {
    this.voice.textContent = text;
  }

  /** Something is amiss but nothing need be done; null: no more. */
  warn(text: string | null): void {
    this.banner.textContent = text ?? "";
  }

  /** Say that something takes its time, until it is done. */
  async during<T>(work: Promise<T>, text: string): Promise<T> {
    const timer = setTimeout(() => this.wait.replaceChildren(h("i"), text), PATIENT_MS);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
      this.wait.replaceChildren();
    }
  }

  /** Ask the participant to choose among buttons; the place of the one pressed, or of Escape. */
  ask(title: string, text: string, buttons: string[], leave?: number): Promise<number> {
    return new Promise((resolve) => {
      const dialog = h("dialog", { "aria-labelledby": "dialog-title" });
      const press = (place: number) => () => {
        dialog.remove();
        resolve(place);
      };
      const row = buttons.map((label, place) =>
        h("button", { class: place ? "secondary" : "primary", click: press(place) }, label),
      );
      dialog.append(h("h2", { id: "dialog-title" }, title), h("p", {}, text));
      if (row.length) dialog.append(h("div", { class: "buttons" }, ...row));
      dialog.addEventListener("cancel", (event) => {
        event.preventDefault();
        if (leave !== undefined) press(leave)();
      });
      dialog.addEventListener("keydown", (event) => event.stopPropagation()); // no answers
      document.body.append(dialog);
      dialog.showModal();
    });
  }

  /** What went wrong, in plain words. */
  explain(refusal: unknown): string {
    const code = refusal instanceof Refusal ? refusal.code : String(refusal);
    if (canSay(`error.${code}`)) return say(`error.${code}`);
    return [say("error.other", { code }), this.help()].filter(Boolean).join(" ");
  }

  private help(): string {
    return this.contact ? say("contact", { contact: this.contact }) : "";
  }
}
