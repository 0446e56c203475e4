/**
 * A plugin for jsPsych 8: our engine chooses the questions, your own page shows them.
 *
 * Each trial asks a session of `resemblance search --sessions` for its next question, shows the head
 * and the options, and tells the session which option was picked. One file, without a build, which the
 * server itself has at /plugin/ask-tell.js:
 *
 *     import AskTell from "http://127.0.0.1:8000/plugin/ask-tell.js";
 *     const ask = { type: AskTell, session, observer: "P01", show: (name) => `<img src="ties/${name}.png" alt="${name}">` };
 *     await jsPsych.run([{ timeline: [ask], repetitions: 100 }]);
 *
 * A page of another host names the `server`, which must allow it (`--origin`).
 *
 * The question that is out, and the answer until the server has it, are kept for the tab (sessionStorage):
 * a page that is loaded again goes on with them. Nothing is asked or told twice.
 */
import { ParameterType } from "jspsych";

const data = {
  /** The session's number of the question. */
  question: { type: ParameterType.INT },
  /** What the options were compared to. */
  head: { type: ParameterType.STRING },
  /** The options, in the order shown. */
  options: { type: ParameterType.STRING, array: true },
  /** The option picked; null: skipped. */
  chosen: { type: ParameterType.STRING },
  /** Milliseconds from the question to the answer. */
  rt: { type: ParameterType.FLOAT },
};

const parameters = {
  /** The id that `POST /api/sessions` gave. */
  session: { type: ParameterType.STRING, default: undefined },
  /** Where the server is; empty: where the page came from. */
  server: { type: ParameterType.STRING, default: "" },
  /** Who answers: a pseudonym. */
  observer: { type: ParameterType.STRING, default: "" },
  /** The question in words. */
  prompt: { type: ParameterType.HTML_STRING, default: "Which of these is most similar to the one on top?" },
  /** Makes the HTML of an item out of its name; without it the name itself is shown, as text. */
  show: { type: ParameterType.FUNCTION, default: null },
  /** The words of a button that skips the question; empty: there is none. */
  skip: { type: ParameterType.STRING, default: "" },
};

export default class AskTell {
  static info = { name: "ask-tell", version: "1.0.0", parameters, data };

  constructor(jsPsych) {
    this.jsPsych = jsPsych;
  }

  async trial(display, trial, on_load) {
    const { answer, ...asked } = await this.ask(trial);
    const picked = answer ?? this.draw(display, trial, asked);
    on_load?.();
    return this.tell(trial, asked, await picked);
  }

  /** Answers at random, as fast as people do; `data` in the options (chosen, rt) stands in for chance. */
  async simulate(trial, mode, options, on_load) {
    const { answer: given, ...asked } = await this.ask(trial);
    if (given) {
      on_load?.();
      return this.tell(trial, asked, given);
    }
    const { randomization } = this.jsPsych;
    const rt = randomization.sampleExGaussian(600, 80, 1 / 250, true);
    const answer = { chosen: randomization.sampleWithoutReplacement(asked.options, 1)[0], rt, ...options.data };
    if (mode === "data-only") {
      on_load?.();
      return this.tell(trial, asked, answer);
    }
    const display = this.jsPsych.getDisplayElement();
    const picked = this.draw(display, trial, asked);
    on_load?.();
    const place = asked.options.indexOf(answer.chosen);
    this.jsPsych.pluginAPI.clickTarget([...display.querySelectorAll("button")].at(place), answer.rt);
    return this.tell(trial, asked, await picked);
  }

  /** The question that was out when the page was loaded again, with its answer if there was one; else a new one. */
  async ask(trial) {
    const out = kept(trial);
    if (out) return out;
    const asked = await call(trial, "ask");
    keep(trial, asked);
    return asked;
  }

  /** Shows a question; resolves at the answer. */
  draw(display, trial, { head, options }) {
    const prompt = element("p", "ask-tell-prompt");
    prompt.innerHTML = trial.prompt;
    const row = element("div", "ask-tell-options");
    display.replaceChildren(prompt, item("div", head, trial.show), row);
    const began = performance.now();
    return new Promise((resolve) => {
      const offer = (button, chosen) => {
        button.type = "button";
        button.addEventListener("click", () => resolve({ chosen, rt: performance.now() - began }), { once: true });
        row.append(button);
      };
      for (const name of options) offer(item("button", name, trial.show), name);
      if (trial.skip) offer(item("button", trial.skip), null);
    });
  }

  async tell(trial, { question, head, options }, { chosen, rt }) {
    this.jsPsych.getDisplayElement().replaceChildren();
    keep(trial, { question, head, options, answer: { chosen, rt } });
    await call(trial, "tell", { question, chosen, observer: trial.observer }).catch((error) => {
      if (error instanceof Refused) keep(trial, null);
      throw error;
    });
    keep(trial, null);
    return { question, head, options, chosen, rt };
  }
}

function item(tag, name, show) {
  const made = element(tag, "ask-tell-item");
  if (show) made.innerHTML = show(name);
  else made.textContent = name;
  return made;
}

function element(tag, name) {
  return Object.assign(document.createElement(tag), { className: name });
}

/** What the server will refuse however often it is asked. */
class Refused extends Error {
  name = "Refused";
}

const keyOf = ({ server, session, observer }) => JSON.stringify(["ask-tell", server, session, observer]);

function kept(trial) {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(trial)));
  } catch {
    return null; // a browser may forbid it: then a page that is loaded again asks anew
  }
}

function keep(trial, out) {
  try {
    if (out) sessionStorage.setItem(keyOf(trial), JSON.stringify(out));
    else sessionStorage.removeItem(keyOf(trial));
  } catch {} // as above
}

/** Calls a route of the session; what is told twice counts once, so a lost network is tried again.
 * Where the server asks for patience, it is waited. */
async function call({ server, session }, route, body, tries = 5) {
  const address = `${server}/api/sessions/${encodeURIComponent(session)}/${route}`;
  const headers = { "Content-Type": "application/json" };
  for (let left = tries; ; left--) {
    const reply = await fetch(address, { method: "POST", headers, body: JSON.stringify(body ?? {}) }).catch((error) => error);
    if (reply.ok) return reply.json();
    const patience = 1000 * (reply.headers?.get("Retry-After") ?? 0);
    if (reply.status && reply.status < 500 && !patience) throw new Refused(await problem(reply));
    if (left === 1) throw new Error(await problem(reply));
    await new Promise((resolve) => setTimeout(resolve, Math.max(patience, 500 * 2 ** (tries - left))));
  }
}

async function problem(reply) {
  return reply instanceof Error ? reply.message : `${reply.status}: ${await reply.text()}`;
}
