import { expect, test } from "vitest";
import { Queue } from "../src/queue";
import { answerTo, breakable } from "./fixtures";

const questions = (queue: Queue) => queue.batch().map((answer) => answer.question);

test("what was not acknowledged is there after a reload, oldest first", () => {
  const { storage } = breakable();
  const queue = new Queue(storage(), "P0001");
  for (const id of ["c", "a", "b"]) queue.put(answerTo(id));
  queue.acknowledge(["a"]);
  const again = new Queue(storage(), "P0001");
  expect(questions(again)).toEqual(["c", "b"]);
  expect(again.batch()[0]).toEqual(answerTo("c"));
  again.put(answerTo("d"));
  expect(questions(new Queue(storage(), "P0001"))).toEqual(["c", "b", "d"]);
});

test("the answers of another participant, or another study, are not sent", () => {
  const { storage } = breakable();
  new Queue(storage(), "P0001").put(answerTo("a"));
  expect(new Queue(storage(), "P00012").size).toBe(0);
  expect(new Queue(storage(), "P0002").size).toBe(0);
});

test("the first answer to a question stands", () => {
  const { storage } = breakable();
  const queue = new Queue(storage(), "P0001");
  queue.put(answerTo("a"));
  queue.put({ ...answerTo("a"), skipped: true });
  expect(queue.batch()).toEqual([answerTo("a")]);
});

test("a full storage loses nothing while the page is open", () => {
  const { storage, fill } = breakable();
  const queue = new Queue(storage(), "P0001");
  queue.put(answerTo("a"));
  fill();
  queue.put(answerTo("b"));
  expect(questions(queue)).toEqual(["a", "b"]);
});

test("what is set aside is not sent, and not thrown away", () => {
  const { storage } = breakable();
  const queue = new Queue(storage(), "P0001");
  queue.put(answerTo("a"));
  queue.setAside(["a"]);
  expect(queue.size).toBe(0);
  expect(storage().keys("aside:")).toHaveLength(1);
});
