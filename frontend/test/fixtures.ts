/** Answers, items and replies for the tests. */
import type { Answer, AnswersReply, Item } from "../src/protocol";
import { BrowserStorage } from "../src/storage";

export function answerTo(question: string): Answer {
  const screen = { width: 1280, height: 720, ratio: 1 };
  const focus = { focus_losses: 0, unfocused_ms: 0, loading_ms: 0, restarts: 0, unshown: false, hand: null };
  const client = { shown: 1, input: "mouse", screen, timing: null, plays: null, ...focus } as const;
  return { question, response: { chosen: 0 }, reason: null, skipped: false, rt_ms: 512.5, client };
}

export function replyTo(acknowledged: string[]): AnswersReply {
  const progress = { done: acknowledged.length, total: 9 };
  return { state: "tasks", page: null, progress, acknowledged, questions: [], feedback: [] };
}

export function words(...texts: string[]): Item[] {
  return texts.map((text) => ({ type: "text", url: null, text, sides: [], alt: "" }));
}

/** A storage that breaks when told to, as a full or forbidden one does. */
export function breakable(): { storage: () => BrowserStorage; fill: () => void } {
  localStorage.clear();
  const set = localStorage.setItem.bind(localStorage);
  let full = false;
  const kept = new Proxy(localStorage, {
    get(target, name) {
      if (name === "setItem") {
        return (key: string, value: string) => {
          if (full) throw new DOMException("full", "QuotaExceededError");
          set(key, value);
        };
      }
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { storage: () => new BrowserStorage("study:", () => kept), fill: () => (full = true) };
}
