/**
 * A plugin for jsPsych 8: a study of resemblance chooses the questions, and your own page shows them.
 *
 * The first trial enters the study. Each trial shows the question that comes next, and sends its answer.
 * The study's own server has this file at /plugin/ask-tell.js; it needs no build:
 *
 *     import AskTell from "https://similarity.example.org/plugin/ask-tell.js";
 *     const ask = { type: AskTell, server: "https://similarity.example.org", study: "ties" };
 *     await jsPsych.run([{ timeline: [ask], loop_function: (data) => !data.values()[0].over }]);
 *
 * The study names the origin of your page in `server.origins`. The tab keeps who takes part, and an answer
 * until the server has it: a page that is loaded again goes on, and no answer is stored twice.
 */
import { ParameterType } from "jspsych";

const data = {
  /** The study's id of the question; null where nothing was left to ask. */
  question: { type: ParameterType.STRING },
  /** The head: its text, or the address of its file; null where the question has none. */
  head: { type: ParameterType.STRING },
  /** The options, in the order shown. */
  options: { type: ParameterType.STRING, array: true },
  /** The option chosen; null: skipped. */
  chosen: { type: ParameterType.STRING },
  /** Milliseconds from the question to the answer. */
  rt: { type: ParameterType.FLOAT },
  /** The pseudonym of who answered, as the study's export has it. */
  observer: { type: ParameterType.STRING },
  /** Whether this person has answered everything. */
  over: { type: ParameterType.BOOL },
  /** The completion code, once all is answered. */
  code: { type: ParameterType.STRING },
};

const parameters = {
  /** The name of the study. */
  study: { type: ParameterType.STRING, default: undefined },
  /** Where the server is; empty: where the page came from. */
  server: { type: ParameterType.STRING, default: "" },
  /** 64 digits from 0 to f, drawn at random, by which the server knows a person again; empty: the tab draws them. */
  key: { type: ParameterType.STRING, default: "" },
  /** The question in words; empty: as the study asks it. */
  prompt: { type: ParameterType.HTML_STRING, default: "" },
  /** Makes the HTML of an item out of its text or the address of its file; without it, that is shown as it is. */
  show: { type: ParameterType.FUNCTION, default: null },
  /** The words of a button that skips the question; empty: there is none. */
  skip: { type: ParameterType.STRING, default: "" },
};

export default class AskTell {
  static info = { name: "ask-tell", version: "2.0.0", parameters, data };

  constructor(jsPsych) {
    this.jsPsych = jsPsych;
  }

  async trial(display, trial, on_load) {
    const { person, asked } = await next(trial);
    const picked = asked && this.draw(display, trial, asked);
    on_load?.();
    return picked ? this.tell(trial, person, asked, await picked) : finished(trial, person);
  }

  /** Answers at random, as fast as people do; `data` in the options (chosen, rt) stands in for chance. */
  async simulate(trial, mode, options, on_load) {
    const { person, asked } = await next(trial);
    if (!asked) {
      on_load?.();
      return finished(trial, person);
    }
    const { randomization } = this.jsPsych;
    const rt = randomization.sampleExGaussian(600, 80, 1 / 250, true);
    const names = asked.options.map((item) => shown(trial, item));
    const answer = { chosen: randomization.sampleWithoutReplacement(names, 1)[0], rt, ...options.data };
    const place = names.indexOf(answer.chosen);
    if (mode === "data-only") {
      on_load?.();
      return this.tell(trial, person, asked, { place: place < 0 ? null : place, rt: answer.rt });
    }
    const display = this.jsPsych.getDisplayElement();
    const picked = this.draw(display, trial, asked);
    on_load?.();
    this.jsPsych.pluginAPI.clickTarget([...display.querySelectorAll("button")].at(place), answer.rt);
    return this.tell(trial, person, asked, await picked);
  }

  /** Shows a question; resolves at the answer. */
  draw(display, trial, { prompt, head, options }) {
    const words = element("p", "ask-tell-prompt");
    if (trial.prompt) words.innerHTML = trial.prompt;
    else words.textContent = prompt;
    const row = element("div", "ask-tell-options");
    display.replaceChildren(words, ...(head ? [drawn("div", trial, head)] : []), row);
    const began = performance.now();
    return new Promise((resolve) => {
      const offer = (button, place) => {
        button.type = "button";
        button.addEventListener("click", () => resolve({ place, rt: performance.now() - began }), { once: true });
        row.append(button);
      };
      for (const [place, item] of options.entries()) offer(drawn("button", trial, item), place);
      if (trial.skip) offer(Object.assign(element("button", "ask-tell-item"), { textContent: trial.skip }), null);
    });
  }

  async tell(trial, person, { id, head, options }, { place, rt }) {
    this.jsPsych.getDisplayElement().replaceChildren();
    const skipped = place === null;
    keep(trial, { ...person, answer: { question: id, response: skipped ? null : { chosen: place }, skipped, rt_ms: rt } });
    const names = options.map((item) => shown(trial, item));
    const told = { question: id, head: head && shown(trial, head), options: names, chosen: names[place] ?? null, rt };
    return { ...told, ...(await finished(trial, await sent(trial, kept(trial)))) };
  }
}

/** The person, and the question that comes next; none where all is answered. */
async function next(trial) {
  let person = kept(trial) ?? { key: trial.key || drawnKey() };
  if (!person.token) {
    const { token, code } = await call(trial, person, `studies/${encodeURIComponent(trial.study)}/participants`, { key: person.key });
    person = { ...person, token, code };
    keep(trial, person);
  }
  person = await sent(trial, person);
  return { person, asked: person.standing.questions[0] };
}

/** Sends the answer that is on its way, if there is one; then the pages that stand before the next question. */
async function sent(trial, person) {
  const answers = person.answer ? [person.answer] : [];
  let standing;
  try {
    standing = answers.length ? await call(trial, person, "me/answers", { answers, want: 1 }) : await call(trial, person, "me");
  } catch (error) {
    if (error instanceof Refused) keep(trial, { ...person, answer: null });
    throw error;
  }
  keep(trial, { ...person, answer: null });
  while (standing.page && standing.page.kind !== "debrief" && !CLOSED.includes(standing.state)) {
    const agree = standing.page.kind === "consent" ? true : null; // your own page has asked
    standing = await call(trial, person, `me/pages/${encodeURIComponent(standing.page.name)}`, { agree });
  }
  if (ASKING.includes(standing.state) && !standing.questions.length) {
    standing = await call(trial, person, "me/answers", { answers: [], want: 1 });
  }
  return { ...person, answer: null, standing };
}

const ASKING = ["practice", "tasks"];
const CLOSED = ["finished", "stopped", "withdrawn"];

/** What a trial says of the person; the completion code once all is answered. */
async function finished(trial, { code: observer, standing, ...person }) {
  const over = !ASKING.includes(standing.state);
  const done = over && !["stopped", "withdrawn"].includes(standing.state);
  return { observer, over, code: done ? (await call(trial, person, "me/finish", {})).code : null };
}

/** The text of an item, or the address of its file. */
function shown({ server }, { text, url }) {
  return url ? server + url : text;
}

function drawn(tag, trial, item) {
  const made = element(tag, "ask-tell-item");
  const what = shown(trial, item);
  if (trial.show) made.innerHTML = trial.show(what, item);
  else if (item.type === "image") made.append(Object.assign(new Image(160), { src: what, alt: item.alt }));
  else made.textContent = what;
  return made;
}

function element(tag, name) {
  return Object.assign(document.createElement(tag), { className: name });
}

function drawnKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What the server will refuse however often it is asked. */
class Refused extends Error {
  name = "Refused";
}

const memory = new Map(); // where a browser forbids storage: then a page that is loaded again enters anew
const keyOf = ({ server, study, key }) => JSON.stringify(["ask-tell", server, study, key]);

function kept(trial) {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(trial))) ?? memory.get(keyOf(trial));
  } catch {
    return memory.get(keyOf(trial));
  }
}

function keep(trial, { key, token, code, answer }) {
  const person = { key, token, code, answer };
  memory.set(keyOf(trial), person);
  try {
    sessionStorage.setItem(keyOf(trial), JSON.stringify(person));
  } catch {} // as above
}

/** Calls the server; every request may be sent again, so a lost network is tried again.
 * Where the server asks for patience, it is waited. */
async function call({ server }, { token }, route, body, tries = 5) {
  const headers = { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const asked = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
  for (let left = tries; ; left--) {
    const reply = await fetch(`${server}/api/${route}`, asked).catch((error) => error);
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
