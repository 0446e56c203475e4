/** The fields of a page, as the server describes them, and what was filled in. */
import { h } from "./dom";
import type {
  ChoiceField,
  FormField,
  NumberField,
  PageResponse,
  ScaleField,
  TextField,
} from "./protocol";
import { say } from "./strings";

/** What a page gives back by itself. */
export type Filled = Omit<PageResponse, "pasted">;

type Value = PageResponse["values"][string];

export function fieldset(field: FormField): HTMLElement {
  const star = field.required ? h("span", { class: "required" }, ` (${say("required")})`) : null;
  if (field.type === "text" || field.type === "number") {
    return h("label", { class: "field-box" }, h("span", {}, field.label, star), input(field));
  }
  const points = field.type === "choice" ? choices(field) : scale(field);
  return h("fieldset", { class: "field-box" }, h("legend", {}, field.label, star), points);
}

function input(field: TextField | NumberField): HTMLElement {
  const { name, required } = field;
  if (field.type === "number") {
    const { min, max } = field;
    const step = field.step ?? "any";
    return h("input", { type: "number", name, required, min, max, step, inputmode: "decimal" });
  }
  const common = { name, required, maxlength: field.max_length };
  if (field.lines > 1) return h("textarea", { ...common, rows: field.lines });
  return h("input", { type: "text", autocomplete: "off", ...common });
}

function choices(field: ChoiceField): HTMLElement {
  const type = field.multiple ? "checkbox" : "radio";
  const required = field.required && !field.multiple;
  const option = (value: string) =>
    h("label", {}, h("input", { type, name: field.name, value, required }), value);
  return h("div", { class: "choices" }, ...field.options.map(option));
}

function scale({ name, required, min, max, low, high }: ScaleField): HTMLElement {
  const points = Array.from({ length: max - min + 1 }, (_, n) => String(min + n));
  const point = (value: string) => {
    const end = value === points[0] ? low : value === points.at(-1) ? high : "";
    const label = end ? `${value}, ${end}` : value;
    const radio = h("input", { type: "radio", name, value, required, "aria-label": label });
    return h("label", {}, radio, h("span", { "aria-hidden": "true" }, value));
  };
  const ends = h(
    "div",
    { class: "ends", "aria-hidden": "true" },
    h("span", {}, low),
    h("span", {}, high),
  );
  return h("div", { class: "scale" }, h("div", { class: "points" }, ...points.map(point)), ends);
}

/** What stands in the form: null where nothing was given. */
export function values(form: HTMLFormElement, fields: FormField[]): PageResponse["values"] {
  const data = new FormData(form);
  return Object.fromEntries(fields.map((field) => [field.name, value(data, field)]));
}

function value(data: FormData, field: FormField): Value {
  if (field.type === "choice" && field.multiple) return data.getAll(field.name).map(String);
  const text = String(data.get(field.name) ?? "").trim();
  if (text === "") return null;
  return field.type === "number" || field.type === "scale" ? Number(text) : text;
}

/** Ask for a tick where one of several boxes is required, which browsers do not do by themselves. */
export function complete(form: HTMLFormElement, fields: FormField[]): boolean {
  for (const field of fields) {
    if (field.type !== "choice" || !field.multiple || !field.required) continue;
    const boxes = [
      ...form.querySelectorAll<HTMLInputElement>(`[name="${CSS.escape(field.name)}"]`),
    ];
    const missing = !boxes.some((box) => box.checked);
    boxes[0]?.setCustomValidity(missing ? say("required") : "");
    for (const box of boxes) box.onchange = () => boxes[0]?.setCustomValidity("");
  }
  return form.reportValidity();
}
