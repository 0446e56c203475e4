/** What every plugin that asks a question declares to jsPsych: parameters and data. */
import { ParameterType } from "jspsych";
import { version } from "../../package.json";
import type { ClientReport, Item, Timing } from "../protocol";

export { version };

export const parameters = {
  /** The question in words. */
  prompt: { type: ParameterType.STRING, default: undefined },
  /** What the options are compared to, or null. */
  head: { type: ParameterType.OBJECT, default: null },
  /** The options, in the order shown. */
  options: { type: ParameterType.COMPLEX, array: true, default: undefined },
  /** Durations of the parts of the trial, or null: all is shown until the answer. */
  timing: { type: ParameterType.OBJECT, default: null },
  /** What one kind of question needs besides. */
  extra: { type: ParameterType.OBJECT, default: {} },
  /** Whether a button to skip the question is offered. */
  skippable: { type: ParameterType.BOOL, default: false },
  /** Milliseconds until the button can be pressed. */
  skip_after: { type: ParameterType.INT, default: 0 },
  /** The loaded element of the n-th stimulus, head first. */
  media: { type: ParameterType.FUNCTION, default: null },
  /** Takes the data at the answer; gives true or false where the trial shows feedback. */
  submit: { type: ParameterType.FUNCTION, default: null },
  /** What is asked after the answer, in which way; "": nothing. */
  reason: { type: ParameterType.STRING, default: "" },
  /** The data of an answer that was given before the page was loaded anew; null: none. */
  given: { type: ParameterType.OBJECT, default: null },
  /** Takes the data before the reason is asked. */
  keep: { type: ParameterType.FUNCTION, default: null },
  /** Makes the mask the same whenever the question is shown. */
  seed: { type: ParameterType.STRING, default: "" },
} as const;

export const data = {
  /** The place of the option chosen; null: skipped. */
  chosen: { type: ParameterType.INT },
  /** Milliseconds from the paint to the answer. */
  rt: { type: ParameterType.FLOAT },
  /** Unix time of the paint in milliseconds. */
  shown: { type: ParameterType.FLOAT },
  /** mouse, touch, pen, keyboard or simulated. */
  input: { type: ParameterType.STRING },
  /** How often the participant left the window during the trial. */
  focus_losses: { type: ParameterType.INT },
  /** And for how long. */
  unfocused_ms: { type: ParameterType.FLOAT },
  /** How often each sound or film was started, head first; null without any. */
  plays: { type: ParameterType.INT, array: true },
  /** Head and gap as measured between paints; null where nothing was timed. */
  timing: { type: ParameterType.OBJECT },
} as const;

export interface Parameters {
  prompt: string;
  head: Item | null;
  options: Item[];
  timing: Timing | null;
  extra: Record<string, unknown>;
  skippable: boolean;
  skip_after: number;
  media: ((n: number) => HTMLElement) | null;
  submit: ((data: Data) => Promise<boolean | null>) | null;
  reason: string;
  given: Data | null;
  keep: ((data: Data) => void) | null;
  seed: string;
}

export interface Data {
  chosen: number | null;
  response?: Record<string, unknown> | null; // what is sent, where nothing is chosen
  reason?: string; // in which way; "": skipped
  rt: number;
  shown: number;
  input: ClientReport["input"];
  focus_losses: number;
  unfocused_ms: number;
  plays: number[] | null;
  timing: ClientReport["timing"];
}
