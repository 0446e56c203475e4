/** A page of text, perhaps with fields: consent, instructions, questionnaires, breaks, the end. */
import { ParameterType, type JsPsych } from "jspsych";
import { h } from "../dom";
import { complete, fieldset, values, type Filled } from "../form";
import type { FormField } from "../protocol";
import { say } from "../strings";
import { version } from "./parameters";

const info = {
  name: "page",
  version,
  parameters: {
    /** The heading. */
    title: { type: ParameterType.STRING, default: "" },
    /** The text: HTML that the server has rendered and made safe. */
    html: { type: ParameterType.HTML_STRING, default: "" },
    /** What is asked below the text. */
    fields: { type: ParameterType.COMPLEX, array: true, default: [] },
    /** Whether the page asks for consent: two buttons rather than one. */
    consent: { type: ParameterType.BOOL, default: false },
    /** Makes what stands below the text on a page without buttons: the last one. */
    end: { type: ParameterType.FUNCTION, default: null },
  },
  data: {
    /** Consent: true or false. Otherwise null. */
    agree: { type: ParameterType.BOOL },
    /** What was filled in, by field. */
    values: { type: ParameterType.OBJECT },
    /** How long the page was shown. */
    seconds: { type: ParameterType.FLOAT },
  },
} as const;

interface Parameters {
  title: string;
  html: string;
  fields: FormField[];
  consent: boolean;
  end: (() => Node[]) | null;
}

export default class Page {
  static readonly info = info;

  constructor(private readonly jsPsych: JsPsych) {}

  trial(display: HTMLElement, trial: Parameters, on_load?: () => void): Promise<Filled> {
    const begin = performance.now();
    return new Promise((resolve) => {
      const form = h("form", {}, ...trial.fields.map(fieldset), ...buttons(trial));
      const text = h("div", { class: "prose" });
      text.innerHTML = trial.html;
      display.append(h("article", { class: "page" }, h("h1", {}, trial.title), text, form));
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const declined = event.submitter?.matches(".decline") ?? false;
        if (!declined && !complete(form, trial.fields)) return;
        const agree = trial.consent ? !declined : null;
        const seconds = (performance.now() - begin) / 1000;
        resolve({ agree, values: values(form, trial.fields), seconds });
      });
      on_load?.();
    });
  }

  /** Agrees, and answers what is asked at random. */
  async simulate(
    trial: Parameters,
    mode: "data-only" | "visual",
    options: { data?: Partial<Filled> },
    on_load?: () => void,
  ): Promise<Filled | undefined> {
    if (mode === "visual" || trial.end) this.trial(this.jsPsych.getDisplayElement(), trial);
    on_load?.();
    if (trial.end) return new Promise(() => {}); // nothing comes after it
    const anything = trial.fields.map((field) => [field.name, this.anything(field)]);
    const agree = trial.consent ? true : null;
    return { agree, values: Object.fromEntries(anything), seconds: 5, ...options.data };
  }

  private anything(field: FormField): Filled["values"][string] {
    const { randomInt } = this.jsPsych.randomization;
    if (field.type === "text") return "simulated";
    if (field.type === "scale") return randomInt(field.min, field.max);
    if (field.type === "number") return randomInt(Math.ceil(field.min ?? 0), field.max ?? 100);
    const chosen = field.options[randomInt(0, field.options.length - 1)]!;
    return field.multiple ? [chosen] : chosen;
  }
}

function buttons(trial: Parameters): Node[] {
  if (trial.end) return trial.end();
  const go = h("button", { class: "primary" }, say(trial.consent ? "consent.agree" : "continue"));
  if (!trial.consent) return [h("div", { class: "buttons" }, go)];
  const decline = h("button", { class: "secondary decline", formnovalidate: true });
  decline.append(say("consent.decline"));
  return [h("div", { class: "buttons" }, go, decline)];
}
