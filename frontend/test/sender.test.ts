import { beforeEach, expect, test, vi } from "vitest";
import { Refusal } from "../src/api";
import { Sender } from "../src/sender";
import { Backoff } from "../src/backoff";
import type { AnswersReply, AnswersRequest } from "../src/protocol";
import { Queue } from "../src/queue";
import { answerTo, replyTo, breakable } from "./fixtures";

const network = () => new Refusal(0, "network", "gone");
type Deed = "store" | "lose reply" | Refusal;

/** A server that does these deeds in turn, then stores what comes. */
function server(...deeds: Deed[]) {
  const stored: string[] = [];
  const requests: string[][] = [];
  const request = async (body: AnswersRequest): Promise<AnswersReply> => {
    const ids = body.answers.map((answer) => answer.question);
    requests.push(ids);
    const deed = deeds.shift() ?? "store";
    if (deed instanceof Refusal) throw deed;
    for (const id of ids) if (!stored.includes(id)) stored.push(id);
    if (deed === "lose reply") throw network();
    return replyTo(ids);
  };
  return { stored, requests, request };
}

let queue: Queue;
let backoff: Backoff;
const sender = (request: (body: AnswersRequest) => Promise<AnswersReply>, trouble = vi.fn()) =>
  new Sender(request, queue, backoff, () => {}, trouble);

beforeEach(() => {
  vi.useFakeTimers();
  queue = new Queue(breakable().storage(), "P0001");
  backoff = new Backoff();
});

test("a lost reply is followed by the same answer, until it is acknowledged", async () => {
  const { request, stored, requests } = server("lose reply", network());
  const reply = sender(request).post(answerTo("a"));
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await reply).acknowledged).toEqual(["a"]);
  expect(requests).toEqual([["a"], ["a"], ["a"]]);
  expect(stored).toEqual(["a"]);
  expect(queue.size).toBe(0);
});

test("answers given meanwhile go together, one request at a time", async () => {
  const { request, requests } = server(network());
  const bringer = sender(request);
  const replies = ["a", "b", "c"].map((id) => bringer.post(answerTo(id)));
  await vi.advanceTimersByTimeAsync(5_000);
  await Promise.all(replies);
  expect(requests).toEqual([["a"], ["a", "b", "c"]]);
});

test("what the server does not acknowledge is sent again", async () => {
  for (const id of ["a", "b"]) queue.put(answerTo(id));
  const seen: string[][] = [];
  const forgetful = async ({ answers }: AnswersRequest) => {
    seen.push(answers.map((answer) => answer.question));
    return replyTo([answers[0]!.question]);
  };
  await sender(forgetful).sync();
  await vi.advanceTimersByTimeAsync(100);
  expect(seen).toEqual([["a", "b"], ["b"]]);
});

test("waits grow, and end when the network comes back", async () => {
  const { request, requests } = server(...Array.from({ length: 8 }, network));
  void sender(request).post(answerTo("a"));
  await vi.advanceTimersByTimeAsync(31_000);
  const tries = requests.length;
  expect(tries).toBeGreaterThan(4);
  expect(tries).toBeLessThan(8);
  window.dispatchEvent(new Event("online"));
  await vi.advanceTimersByTimeAsync(0);
  expect(requests).toHaveLength(tries + 1);
});

test("Retry-After is kept to", async () => {
  const { request, requests } = server(new Refusal(429, "slow", "", "", [], 7_000));
  void sender(request).post(answerTo("a"));
  await vi.advanceTimersByTimeAsync(6_900);
  expect(requests).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(requests).toHaveLength(2);
});

test("one unknown question holds up nobody: named, it is set aside", async () => {
  for (const id of ["a", "b", "c"]) queue.put(answerTo(id));
  const { request, stored } = server(new Refusal(409, "unknown_question", "", "", ["b"]));
  await sender(request).sync();
  expect(stored).toEqual(["a", "c"]);
  expect(queue.size).toBe(0);
});

test("unnamed, it is found by sending one at a time", async () => {
  for (const id of ["a", "b", "c"]) queue.put(answerTo(id));
  const unknown = () => new Refusal(409, "unknown_question", "");
  const { request, stored } = server(unknown(), unknown());
  await sender(request).sync();
  await vi.advanceTimersByTimeAsync(100);
  expect(stored).toEqual(["b", "c"]);
});

test("what does not pass by itself waits for the participant", async () => {
  const trouble = vi.fn();
  const { request, requests } = server(new Refusal(403, "paused", ""));
  void sender(request, trouble).post(answerTo("a"));
  await vi.advanceTimersByTimeAsync(600_000);
  expect(requests).toHaveLength(1);
  backoff.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(requests).toHaveLength(2);
  expect(trouble.mock.lastCall).toEqual([null]);
});

test("an answer that the server will not take holds no other one up", async () => {
  for (const id of ["a", "b", "c"]) queue.put(answerTo(id));
  const stored: string[] = [];
  const strict = async ({ answers }: AnswersRequest) => {
    const ids = answers.map((answer) => answer.question);
    if (ids.includes("b")) throw new Refusal(422, "invalid_response", "no", "", ["b"]);
    stored.push(...ids);
    return replyTo(ids);
  };
  const refused = vi.fn();
  const one = new Sender(strict, queue, backoff, () => {}, () => {}, refused);
  await one.sync();
  await vi.advanceTimersByTimeAsync(100);
  expect(stored).toEqual(["a", "c"]);
  expect(refused).toHaveBeenCalledWith(["b"]);
  expect(queue.size).toBe(0);
});

test("words that the server refuses do not lose their answer", async () => {
  queue.put({ ...answerTo("a"), reason: "much too long" });
  queue.put(answerTo("b"));
  const sent: (string | null)[][] = [];
  const deeds = [new Refusal(422, "invalid_reason", "too long", "", ["a"])];
  const request = async ({ answers }: AnswersRequest): Promise<AnswersReply> => {
    sent.push(answers.map((answer) => answer.reason));
    const refusal = deeds.shift();
    if (refusal) throw refusal;
    return replyTo(answers.map((answer) => answer.question));
  };
  await sender(request).sync();
  expect(sent).toEqual([["much too long", null], [null, null]]);
  expect(queue.size).toBe(0);
});
