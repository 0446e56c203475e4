/** Brings answers to the server and questions back: one request at a time, again until it succeeds. */
import { Refusal } from "./api";
import type { Backoff } from "./backoff";
import { MAX_BATCH, type Answer, type AnswersReply, type AnswersRequest } from "./protocol";
import type { Queue } from "./queue";

/** What the server says of an answer that it will never take. */
const REFUSED = new Set(["unknown_question", "invalid_response"]);

type Waiter = (reply: AnswersReply) => void;

export class Sender {
  want = 0;
  private waiters: Waiter[] = [];
  private running = false;
  private limit = MAX_BATCH;

  /**
   * `told` hears every reply, `trouble` every failure, and null when it is over; `refused` which
   * answers the server will not take: their questions are open again.
   */
  constructor(
    private readonly request: (body: AnswersRequest) => Promise<AnswersReply>,
    private readonly queue: Queue,
    private readonly backoff: Backoff,
    private readonly told: (reply: AnswersReply) => void,
    private readonly trouble: (refusal: Refusal | null) => void,
    private readonly refused: (questions: string[]) => void = () => {},
  ) {}

  /** Keep an answer and send it; the reply that acknowledges it. */
  post(answer: Answer): Promise<AnswersReply> {
    this.queue.put(answer);
    return this.sync();
  }

  /** Send what is unsent and fetch the questions that are out; the reply to a request from now on. */
  sync(): Promise<AnswersReply> {
    const reply = new Promise<AnswersReply>((resolve) => this.waiters.push(resolve));
    void this.run();
    return reply;
  }

  private async run(): Promise<void> {
    if (this.running) return;
    this.running = true;
    while (this.waiters.length || this.queue.size) {
      const waiters = this.waiters.splice(0);
      try {
        const reply = await this.send();
        for (const waiter of waiters) waiter(reply);
      } catch (refusal) {
        this.waiters.unshift(...waiters);
        await this.recover(refusal as Refusal);
      }
    }
    this.running = false;
  }

  private async send(): Promise<AnswersReply> {
    const answers = this.queue.batch(this.limit);
    const reply = await this.request({ answers, want: this.want });
    if (answers.length && !answers.some((answer) => reply.acknowledged.includes(answer.question))) {
      throw new Refusal(0, "network", "the server acknowledged no answer");
    }
    this.queue.acknowledge(reply.acknowledged);
    this.backoff.reset();
    this.limit = MAX_BATCH;
    this.trouble(null);
    this.told(reply);
    return reply;
  }

  private async recover(refusal: Refusal): Promise<void> {
    if (REFUSED.has(refusal.code)) return this.sift(refusal);
    const { code, questions } = refusal;
    if (code === "invalid_reason" && this.queue.withoutReason(questions)) return;
    this.trouble(refusal);
    await this.backoff.wait(refusal);
  }

  /** Nothing of a batch with a refused answer is stored: set that one aside, or find it. */
  private sift(refusal: Refusal): void {
    const batch = this.queue.batch(this.limit).map((answer) => answer.question);
    const unknown = batch.filter((question) => refusal.questions.includes(question));
    if (!unknown.length && batch.length > 1) {
      this.limit = 1;
      return;
    }
    const aside = unknown.length ? unknown : batch;
    this.queue.setAside(aside);
    this.refused(aside);
  }
}
