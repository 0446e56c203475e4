/** From a trial's data to the answer that the server gets. */
import { screen } from "./clock";
import type { HandWatch } from "./hand";
import type { Data } from "./plugins/parameters";
import { LONGEST_MS, type Answer, type Question } from "./protocol";

/** What is known of a trial before it is shown. */
export interface Begun {
  loading_ms: number;
  restarts: number;
  hand: HandWatch | null;
}

/** The data of a question that could not be shown: a part of it could not be loaded. */
export const UNSHOWN: Data = {
  chosen: null,
  rt: 0,
  shown: 0,
  input: "mouse",
  focus_losses: 0,
  unfocused_ms: 0,
  plays: null,
  timing: null,
};

export function answer(question: Question, data: Data, begun: Begun): Answer {
  const { shown, input, focus_losses, unfocused_ms, timing, plays } = data;
  const unshown = data === UNSHOWN;
  const { loading_ms, restarts } = begun;
  const hand = begun.hand?.end() ?? null;
  const told = { screen: screen(), unshown, loading_ms, restarts, hand };
  const response = data.response ?? (data.chosen === null ? null : { chosen: data.chosen });
  return {
    question: question.id,
    response,
    reason: data.reason ?? null,
    skipped: response === null,
    rt_ms: Math.min(data.rt, LONGEST_MS),
    client: { shown, input, focus_losses, unfocused_ms, timing, plays, ...told },
  };
}
