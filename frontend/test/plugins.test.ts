import { initJsPsych } from "jspsych";
import { expect, test } from "vitest";
import Arrangement from "../src/plugins/arrangement";
import Classify from "../src/plugins/classify";
import MatchToSample from "../src/plugins/match-to-sample";
import MostSimilar from "../src/plugins/most-similar";
import OddOneOut from "../src/plugins/odd-one-out";
import Page from "../src/plugins/page";
import Rating from "../src/plugins/rating";
import type { Data } from "../src/plugins/parameters";
import type { FormField } from "../src/protocol";
import { words } from "./fixtures";

const PLUGINS = [MostSimilar, OddOneOut, MatchToSample, Classify, Rating];
const extra = { labels: ["1", "2"], low: "", high: "" };
const [head, ...options] = words("head", "one", "other");

async function simulate(trials: object[], mode: "data-only" | "visual" = "data-only") {
  const jsPsych = initJsPsych({ use_webaudio: false });
  await jsPsych.simulate(trials, mode);
  return jsPsych.data.get().values() as (Data & { trial_type: string })[];
}

test.each(PLUGINS)("$info.name declares exactly the data that it gives", async (type) => {
  const [data] = await simulate([{ type, prompt: "Which?", head, options, extra }]);
  expect(Object.keys(data!)).toEqual(expect.arrayContaining(Object.keys(type.info.data)));
  expect([0, 1]).toContain(data!.chosen);
  expect(data!.rt).toBeGreaterThan(0);
});

test.each(PLUGINS)("$info.name is shown to a simulated person who answers", async (type) => {
  const seen: string[] = [];
  const submit = async () => {
    seen.push(document.querySelector("h1")!.textContent, ...shown());
    return null;
  };
  const simulation_options = { data: { chosen: 1, rt: 20 } };
  const trial = { type, prompt: "Which?", head, options, extra, submit, simulation_options };
  const [data] = await simulate([trial], "visual");
  expect(seen).toEqual(expect.arrayContaining(["Which?", "one", "other"]));
  expect(data).toMatchObject({ chosen: 1, input: "simulated", focus_losses: 0, plays: null });
  expect(data!.rt).toBeGreaterThanOrEqual(19);
});

const shown = () => [...document.querySelectorAll(".tile .text")].map((text) => text.textContent);

test("chance is fair, and what the options say stands", async () => {
  const trial = { type: MostSimilar, prompt: "Which?", head, options: words("a", "b", "c") };
  const data = await simulate(Array.from({ length: 300 }, () => trial));
  for (const place of [0, 1, 2]) {
    const times = data.filter(({ chosen }) => chosen === place).length;
    expect(times).toBeGreaterThan(60);
    expect(times).toBeLessThan(140);
  }
  const [skipped] = await simulate([{ ...trial, simulation_options: { data: { chosen: null } } }]);
  expect(skipped!.chosen).toBeNull();
});

test.each(["data-only", "visual"] as const)("an arrangement is simulated (%s)", async (mode) => {
  const simulation_options = mode === "visual" ? { data: { rt: 20 } } : {};
  const trial = { type: Arrangement, prompt: "Drag", options, simulation_options };
  const [data] = await simulate([trial], mode);
  const { places } = data!.response as { places: [number, number][] };
  expect(Object.keys(data!)).toEqual(expect.arrayContaining(Object.keys(Arrangement.info.data)));
  expect(places).toHaveLength(options.length);
  for (const [x, y] of places) expect(Math.hypot(x, y)).toBeLessThanOrEqual(1);
  expect(data).toMatchObject({ chosen: null, input: "simulated" });
});

test("a page answers its fields within their bounds", async () => {
  const base = { label: "", required: true };
  const fields: FormField[] = [
    { type: "number", name: "age", min: 18, max: 20, step: 1, ...base },
    { type: "scale", name: "effort", min: 1, max: 3, low: "", high: "", ...base },
    {
      type: "choice",
      name: "sight",
      options: ["x"],
      multiple: true,
      ...base,
    },
  ];
  const [data] = await simulate([{ type: Page, title: "You", consent: true, fields }]);
  const { values, agree } = data as unknown as { values: Record<string, unknown>; agree: boolean };
  expect(agree).toBe(true);
  expect(values["sight"]).toEqual(["x"]);
  expect([18, 19, 20]).toContain(values["age"]);
  expect([1, 2, 3]).toContain(values["effort"]);
});

/** Let somebody answer with a key, then do something with the form that asks in which way. */
async function reasoned(then: (form: HTMLFormElement) => void) {
  const jsPsych = initJsPsych({ use_webaudio: false });
  const kept: Data[] = [];
  const keep = (data: Data) => kept.push({ ...data });
  const trial = { type: OddOneOut, prompt: "Which?", options, reason: "In which way?", keep };
  const over = jsPsych.run([trial]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  window.dispatchEvent(new KeyboardEvent("keydown", { key: "2", cancelable: true }));
  await new Promise((resolve) => setTimeout(resolve, 100));
  then(document.querySelector<HTMLFormElement>("form.reason")!);
  await over;
  const [data] = jsPsych.data.get().values() as Data[];
  return { data: data!, kept };
}

test("words are asked after the answer, whose time they leave alone", async () => {
  const { data, kept } = await reasoned((form) => {
    const input = form.querySelector("input")!;
    expect([input.maxLength, form.textContent]).toEqual([80, expect.stringContaining("In which way?")]);
    input.value = "  <b>louder</b> ";
    form.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true }));
    form.dispatchEvent(new Event("submit", { cancelable: true }));
  });
  expect(data).toMatchObject({ chosen: 1, reason: "<b>louder</b>" });
  expect(kept).toMatchObject([{ chosen: 1, rt: data.rt }]);
});

test("words can be skipped, and are not asked of a question that is skipped", async () => {
  const { data } = await reasoned((form) => {
    const skip = form.querySelector<HTMLButtonElement>("button[type=button]")!;
    skip.click(); // before the question can be read
    expect(document.querySelector("form.reason")).toBe(form);
    setTimeout(() => skip.click(), 600);
  });
  expect(data.reason).toBe("");
  const trial = { type: OddOneOut, prompt: "Which?", options, reason: "In which way?" };
  const simulation_options = { data: { chosen: null, rt: 20 } };
  const [skipped] = await simulate([{ ...trial, simulation_options }], "visual");
  const [given] = await simulate([{ ...trial, given: { ...data, chosen: 0 } }], "visual");
  expect([skipped!.reason, given!.chosen]).toEqual([undefined, 0]);
});
