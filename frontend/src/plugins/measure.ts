/** A page on which something is measured before the first question: screen, distance, headphones. */
import { ParameterType } from "jspsych";
import type { Filled } from "../form";
import { distance } from "../measure/distance";
import { headphones } from "../measure/headphones";
import { scale } from "../measure/scale";
import type { Measured } from "../measure/sheet";
import type { NumberField } from "../protocol";
import { version } from "./parameters";

type Values = Record<string, number | null>;
type Way = (display: HTMLElement, found: Values, needed: boolean) => Measured;

const WAYS: Record<string, Way> = {
  pixels_per_cm: scale,
  distance_cm: (display, found) => distance(display, found["pixels_per_cm"] ?? null),
  headphones_right: (display, _, needed) => headphones(display, needed),
};

interface Parameters {
  fields: NumberField[];
  needed: boolean;
}

export default class Measure {
  static readonly info = {
    name: "measure",
    version,
    parameters: {
      /** What is measured, in its order. */
      fields: { type: ParameterType.COMPLEX, array: true, default: [] },
      /** Whether nobody may go on without headphones. */
      needed: { type: ParameterType.BOOL, default: false },
    },
    data: {
      /** What was found, by field; null where it could not be measured. */
      values: { type: ParameterType.OBJECT },
    },
  } as const;

  async trial(display: HTMLElement, trial: Parameters, on_load?: () => void): Promise<Filled> {
    const begin = performance.now();
    const values: Values = {};
    on_load?.();
    for (const { name } of trial.fields) values[name] = await WAYS[name]!(display, values, trial.needed);
    return { agree: null, values, seconds: (performance.now() - begin) / 1000 };
  }

  /** All goes well. */
  async simulate(trial: Parameters): Promise<Filled> {
    const values = Object.fromEntries(trial.fields.map(({ name, max }) => [name, max]));
    return { agree: null, values, seconds: 5 };
  }
}
