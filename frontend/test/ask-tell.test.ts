import { initJsPsych } from "jspsych";
import { afterEach, expect, test, vi } from "vitest";
// @ts-expect-error: plain JavaScript, for pages without a build
import AskTell from "../plugin/ask-tell.js";

afterEach(() => {
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

type Answer = { question: string; response: { chosen: number } | null; skipped: boolean };
let studies = 0; // each test has a study of its own, as the plugin remembers who takes part

/** A study of so many questions behind a page of consent; the first reply to some routes is lost. */
function serve(n = 99, lost: string[] = []) {
  const study = `s${studies++}`;
  const stored = new Map<string, Answer>();
  const entered = new Set<string>();
  let agreed = false;
  const item = (text: string) => ({ type: "text", url: null, text, alt: "" });
  const question = () => ({ id: `q${stored.size}`, prompt: "Which?", head: item("jazz"), options: [item("rock"), item("soul")] });
  const standing = () => {
    if (!agreed) return { state: "consent", page: { name: "consent", kind: "consent" }, questions: [] };
    if (stored.size >= n) return { state: "debrief", page: null, questions: [] };
    return { state: "tasks", page: null, questions: [question()] };
  };
  const reply = async (address: string, { body, headers }: { body?: string; headers: Record<string, string> }) => {
    const route = address.split("/").at(-1)!;
    const sent = body ? JSON.parse(body) : {};
    if (route === "participants") {
      expect(address).toBe(`/api/studies/${study}/participants`);
      expect(sent.key).toMatch(/^[0-9a-f]{64}$/);
      entered.add(sent.key);
      return new Response(JSON.stringify({ token: sent.key, code: "P0001" }));
    }
    expect(entered).toContain(headers.Authorization!.replace("Bearer ", ""));
    if (route === "consent") agreed = sent.agree;
    for (const answer of sent.answers ?? []) if (!stored.has(answer.question)) stored.set(answer.question, answer);
    if (lost.includes(route)) {
      lost.splice(lost.indexOf(route), 1);
      throw new TypeError("no network");
    }
    return new Response(JSON.stringify(route === "finish" ? { code: "THANKS" } : standing()));
  };
  vi.stubGlobal("fetch", reply);
  return { study, stored, entered, answers: () => [...stored.values()] };
}

async function simulate(trials: object[], mode: "data-only" | "visual" = "data-only") {
  const jsPsych = initJsPsych({ use_webaudio: false });
  await jsPsych.simulate(trials, mode);
  return jsPsych.data.get().values() as Record<string, unknown>[];
}

/** Runs one trial as jsPsych does, without its timeline. */
async function trial(study: string, answer: string) {
  const { randomization } = initJsPsych({ use_webaudio: false });
  const plugin = new AskTell({ randomization, getDisplayElement: () => document.body });
  const given = { server: "", study, key: "", prompt: "", show: null, skip: "" };
  return plugin.simulate(given, "data-only", { data: { chosen: answer, rt: 500 } });
}

test("goes through a study, answers at random, and gives the code", async () => {
  const { study, answers } = serve(20);
  const ask = { type: AskTell, study };
  const loop_function = (data: { values(): { over: boolean }[] }) => !data.values().at(-1)!.over;
  const data = await simulate([{ timeline: [ask], loop_function }]);
  expect(data).toHaveLength(20);
  expect(answers()[7]).toMatchObject({ question: "q7", response: { chosen: data[7]!.chosen === "rock" ? 0 : 1 } });
  expect(new Set(data.map(({ chosen }) => chosen))).toEqual(new Set(["rock", "soul"]));
  expect(data.map(({ code }) => code).filter(Boolean)).toEqual(["THANKS"]);
  expect(data[19]).toMatchObject({ over: true, observer: "P0001" });
  expect(Object.keys(data[0]!)).toEqual(expect.arrayContaining(Object.keys(AskTell.info.data)));
});

test("shows items as the page draws them, and takes a click", async () => {
  const { study, answers } = serve();
  const seen: string[] = [];
  const ask = {
    type: AskTell,
    study,
    show: (text: string) => `<b>${text}</b>`,
    skip: "Pass",
    on_load: () => seen.push(...[...document.querySelectorAll("b, button")].map((one) => one.textContent!)),
    simulation_options: { data: { chosen: "soul", rt: 20 } },
  };
  const [data] = await simulate([ask], "visual");
  expect(new Set(seen)).toEqual(new Set(["jazz", "rock", "soul", "Pass"]));
  expect(data).toMatchObject({ head: "jazz", chosen: "soul" });
  const [skipped] = await simulate([{ ...ask, simulation_options: { data: { chosen: null, rt: 5 } } }], "visual");
  expect(skipped!.chosen).toBeNull();
  expect(answers().map(({ skipped }) => skipped)).toEqual([false, true]);
});

test("what the network lost is sent again, and counts once", async () => {
  const { study, stored, entered } = serve(99, ["me", "consent", "answers"]);
  const [data] = await simulate([{ type: AskTell, study }]);
  expect(data!.question).toBe("q0");
  expect([stored.size, entered.size]).toEqual([1, 1]);
});

test("where the server asks for patience, the trial waits", async () => {
  const { study, stored } = serve();
  const { fetch } = globalThis;
  let busy = true;
  vi.stubGlobal("fetch", (...given: Parameters<typeof fetch>) => {
    const reply = busy ? Promise.resolve(new Response("{}", { status: 429, headers: { "Retry-After": "1" } })) : fetch(...given);
    busy = false;
    return reply;
  });
  await simulate([{ type: AskTell, study }]);
  expect(stored.size).toBe(1);
});

/** Lets a request of a route fail for good, as when the page is left in the middle of it. */
function refuse(route: string, status: number) {
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", (...given: Parameters<typeof fetch>) =>
    String(given[0]).endsWith(route) ? Promise.resolve(new Response("{}", { status })) : fetch(...given),
  );
  return () => vi.stubGlobal("fetch", fetch);
}

test("an answer that was on its way is sent by the next trial, and no person enters twice", async () => {
  const { study, entered, answers } = serve();
  vi.useFakeTimers();
  const again = refuse("me/answers", 503);
  const failed = expect(trial(study, "soul")).rejects.toThrow("503");
  await vi.runAllTimersAsync();
  await failed;
  vi.useRealTimers();
  again();
  expect((await trial(study, "rock")).question).toBe("q1");
  expect(answers().map(({ response }) => response!.chosen)).toEqual([1, 0]);
  expect(entered.size).toBe(1);
});

test("what the server refuses for good is not sent again", async () => {
  const { study, stored } = serve();
  const again = refuse("me/answers", 409);
  await expect(trial(study, "soul")).rejects.toThrow("409");
  again();
  expect((await trial(study, "rock")).question).toBe("q0");
  expect(stored.size).toBe(1);
});

test("a tab without storage takes part all the same", async () => {
  const { study, stored, entered } = serve();
  vi.stubGlobal("sessionStorage", { getItem: () => { throw new Error("forbidden"); }, setItem: () => { throw new Error("forbidden"); } });
  expect((await trial(study, "soul")).chosen).toBe("soul");
  expect((await trial(study, "soul")).question).toBe("q1");
  expect([stored.size, entered.size]).toEqual([2, 1]);
  vi.unstubAllGlobals();
});
