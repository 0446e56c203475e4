/** The participant's page: who comes in, and the timeline that the server writes as it goes. */
import { initJsPsych } from "jspsych";
import { Api } from "./api";
import { dress, roomy } from "./display";
import { Flow } from "./flow";
import { Frame } from "./frame";
import { Retry } from "./retry";
import { Backoff } from "./backoff";
import type { Config } from "./protocol";
import { Queue } from "./queue";
import { BrowserStorage } from "./storage";
import { watch } from "./sizes";
import { begin, CHOSEN } from "./language";
import { language, say } from "./strings";
import "./style.css";
import { farewellOf, leftBefore } from "./withdrawal";
import { asksAnew, enter, forget } from "./entry";

const config = JSON.parse(document.getElementById("config")!.textContent!) as Config;
const storage = new BrowserStorage(`resemblance:${config.study}:`);
if (asksAnew()) {
  forget(storage);
  storage.remove(CHOSEN);
}
dress(config.display);
watch();
const menu = begin(config.languages, storage);
const frame = new Frame(language().title, config.contact ?? null, menu);

let leaving = false; // to come back in another language
window.addEventListener("leaving", () => (leaving = true));

async function start(): Promise<void> {
  const api = new Api(config);
  const left = leftBefore(storage);
  if (left) {
    const jsPsych = initJsPsych({ display_element: frame.stage });
    return void jsPsych.run([farewellOf(left, frame.contact)] as never);
  }
  await roomy(frame.stage, config.display);
  const retry = new Retry(frame, new Backoff(), comeAnew);
  const { code } = await retry.until(() => enter(api, storage));
  const me = await frame.during(
    retry.until(() => api.me()),
    say("loading"),
  );
  const queue = new Queue(storage, code);
  window.addEventListener("beforeunload", (event) => {
    if (queue.size && !leaving) event.preventDefault(); // the browser asks whether to leave
  });
  await run(new Flow(me, api, queue, storage, retry, config));
}

/** A timeline of jsPsych that grows by one trial whenever one is over. */
async function run(flow: Flow): Promise<void> {
  const timeline: object[] = [];
  const extend = async () => {
    const { trial, after } = await flow.next();
    const on_finish = async (data: object) => {
      await after?.(data as never);
      await extend();
    };
    timeline.push({ ...trial, on_finish });
  };
  await extend();
  const jsPsych = initJsPsych({ display_element: frame.stage, use_webaudio: false });
  if (config.simulate) await jsPsych.simulate(timeline, config.simulate);
  else await jsPsych.run(timeline as never);
}

/** The server does not know the token: begin again at the door, answers kept. */
async function comeAnew(): Promise<never> {
  await frame.ask(say("error.title"), say("error.unknown_token"), [say("retry")]);
  forget(storage);
  location.reload();
  return new Promise(() => {});
}

start().catch(async (error: unknown) => {
  console.error(error);
  await frame.ask(say("error.title"), frame.explain(error), [say("retry")]);
  location.reload();
});
