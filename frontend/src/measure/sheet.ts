/** A page on which something is measured, and the way past it for who cannot. */
import { h } from "../dom";
import { say } from "../strings";

/** What is found; null: it could not be. */
export type Measured = Promise<number | null>;

/** Show a page; gives its buttons' row, to which a last one is added that leads past it. */
export function sheet(
  display: HTMLElement,
  name: string,
  values: Record<string, number>,
  pass: () => void,
  ...parts: HTMLElement[]
): void {
  const cannot = h("button", { class: "secondary", type: "button", click: pass });
  cannot.append(say("measure.skip"));
  const text = h("p", { class: "prose" }, say(`${name}.text`, values));
  const buttons = parts.filter((part) => part.matches("button"));
  const others = parts.filter((part) => !part.matches("button"));
  const row = h("div", { class: "buttons" }, ...buttons, cannot);
  const title = h("h1", {}, say(`${name}.title`));
  display.replaceChildren(h("article", { class: "page" }, title, text, ...others, row));
}

export function primary(label: string, click: (event: Event) => void): HTMLButtonElement {
  return h("button", { class: "primary", type: "button", click }, label);
}
