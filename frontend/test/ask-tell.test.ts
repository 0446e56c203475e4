import { initJsPsych } from "jspsych";
import { afterEach, expect, test, vi } from "vitest";
// @ts-expect-error: plain JavaScript, for pages without a build
import AskTell from "../plugin/ask-tell.js";

afterEach(() => {
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

/** A server with one session of many questions; the first answer of each address may fail. */
function serve(failing: string[] = []) {
  const told: object[] = [];
  let asked = 0;
  const reply = async (address: string, { body }: { body: string }) => {
    const route = address.split("/").at(-1)!;
    if (failing.includes(route)) {
      failing.splice(failing.indexOf(route), 1);
      throw new TypeError("no network");
    }
    expect(address).toBe(`/api/sessions/s1/${route}`);
    if (route === "tell") told.push(JSON.parse(body));
    const question = { question: asked, head: "jazz", options: ["rock", "soul"] };
    if (route === "ask") asked++;
    return new Response(JSON.stringify(question));
  };
  vi.stubGlobal("fetch", reply);
  return told;
}

async function simulate(trials: object[], mode: "data-only" | "visual" = "data-only") {
  const jsPsych = initJsPsych({ use_webaudio: false });
  await jsPsych.simulate(trials, mode);
  return jsPsych.data.get().values() as Record<string, unknown>[];
}

test("asks, answers at random, and tells", async () => {
  const told = serve();
  const trial = { type: AskTell, session: "s1", observer: "P01" };
  const data = await simulate(Array.from({ length: 20 }, () => trial));
  expect(told).toHaveLength(20);
  expect(told[7]).toEqual({ question: 7, chosen: data[7]!.chosen, observer: "P01" });
  expect(new Set(data.map(({ chosen }) => chosen))).toEqual(new Set(["rock", "soul"]));
  expect(Object.keys(data[0]!)).toEqual(expect.arrayContaining(Object.keys(AskTell.info.data)));
});

test("shows items as the page draws them, and takes a click", async () => {
  const told = serve();
  const seen: string[] = [];
  const trial = {
    type: AskTell,
    session: "s1",
    show: (name: string) => `<b>${name}</b>`,
    skip: "Pass",
    on_load: () => seen.push(...[...document.querySelectorAll("b, button")].map((one) => one.textContent!)),
    simulation_options: { data: { chosen: "soul", rt: 20 } },
  };
  const [data] = await simulate([trial], "visual");
  expect(new Set(seen)).toEqual(new Set(["jazz", "rock", "soul", "Pass"]));
  expect(data).toMatchObject({ head: "jazz", chosen: "soul" });
  expect(told).toEqual([{ question: 0, chosen: "soul", observer: "" }]);
  const [skipped] = await simulate([{ ...trial, simulation_options: { data: { chosen: null, rt: 5 } } }], "visual");
  expect(skipped!.chosen).toBeNull();
});

test("what the network lost is sent again", async () => {
  const told = serve(["ask", "tell"]);
  const [data] = await simulate([{ type: AskTell, session: "s1" }]);
  expect(data!.question).toBe(0);
  expect(told).toHaveLength(1);
});

test("where the server asks for patience, the trial waits", async () => {
  const told = serve();
  const { fetch } = globalThis;
  let busy = true;
  vi.stubGlobal("fetch", (...given: Parameters<typeof fetch>) => {
    const reply = busy ? Promise.resolve(new Response("{}", { status: 429, headers: { "Retry-After": "1" } })) : fetch(...given);
    busy = false;
    return reply;
  });
  await simulate([{ type: AskTell, session: "s1" }]);
  expect(told).toHaveLength(1);
});

/** Lets a request of a route fail for good, as when the page is left in the middle of it. */
function refuse(route: string, status: number) {
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", (...given: Parameters<typeof fetch>) =>
    String(given[0]).endsWith(route) ? Promise.resolve(new Response("{}", { status })) : fetch(...given),
  );
  return () => vi.stubGlobal("fetch", fetch);
}

/** Runs one trial as jsPsych does, without its timeline. */
async function trial(answer: string) {
  const { randomization } = initJsPsych({ use_webaudio: false });
  const plugin = new AskTell({ randomization, getDisplayElement: () => document.body });
  const given = { server: "", session: "s1", observer: "P01", prompt: "", show: null, skip: "" };
  return plugin.simulate(given, "data-only", { data: { chosen: answer, rt: 500 } });
}

test("a page that is loaded again tells the answer that was on its way, and asks no second question", async () => {
  const told = serve();
  vi.useFakeTimers();
  const again = refuse("tell", 503);
  const lost = expect(trial("soul")).rejects.toThrow("503");
  await vi.runAllTimersAsync();
  await lost;
  vi.useRealTimers();
  again();
  const data = await trial("rock"); // another click would be another answer: the first one counts
  expect(data).toMatchObject({ question: 0, chosen: "soul", rt: 500 });
  expect(told).toEqual([{ question: 0, chosen: "soul", observer: "P01" }]);
  expect((await trial("rock")).question).toBe(1);
});

test("what the server refuses for good is not told again", async () => {
  const told = serve();
  const again = refuse("tell", 409);
  await expect(trial("soul")).rejects.toThrow("409");
  again();
  expect((await trial("rock")).question).toBe(1);
  expect(told).toHaveLength(1);
});

test("a tab without storage asks and tells all the same", async () => {
  const told = serve();
  vi.stubGlobal("sessionStorage", { getItem: () => { throw new Error("forbidden"); }, setItem: () => { throw new Error("forbidden"); } });
  expect((await trial("soul")).chosen).toBe("soul");
  expect(told).toHaveLength(1);
  vi.unstubAllGlobals();
});
