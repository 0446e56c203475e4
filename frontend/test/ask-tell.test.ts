import { initJsPsych } from "jspsych";
import { afterEach, expect, test, vi } from "vitest";
// @ts-expect-error: plain JavaScript, for pages without a build
import AskTell from "../plugin/ask-tell.js";

afterEach(() => vi.unstubAllGlobals());

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
