/** The way through a study: whatever the server says comes next, as the next trial of jsPsych. */
import { answer, UNSHOWN, type Begun } from "./answer";
import { Refusal, type Api } from "./api";
import { pause } from "./clock";
import { Sender } from "./sender";
import { h } from "./dom";
import { farewell } from "./end";
import { facts } from "./display";
import type { Frame } from "./frame";
import type { Filled } from "./form";
import { HandWatch } from "./hand";
import type { Retry } from "./retry";
import { Media, type Prepared } from "./media";
import { plugin } from "./plugins/all";
import Measure from "./plugins/measure";
import Page from "./plugins/page";
import type { Data } from "./plugins/parameters";
import type { AnswersReply, Config, Me, Progress, Question, Standing } from "./protocol";
import type { Queue } from "./queue";
import type { BrowserStorage } from "./storage";
import { Pace } from "./skip";
import { number, say } from "./strings";
import { farewellOf, Withdrawal } from "./withdrawal";

const FEEDBACK_PATIENCE_MS = 5_000;
const EMPTY_PAUSE_MS = 2_000;

/** A trial of jsPsych, and what to do with its data. */
export interface Step {
  trial: Record<string, unknown>;
  after?: (data: never) => Promise<void>;
}

export class Flow {
  private readonly frame: Frame;
  private readonly sender: Sender;
  private readonly media: Media;
  private readonly done = new Set<string>(); // answered here, whether or not the server knows
  private standing: Standing;
  private held: Question[] = [];
  private current: Question | null = null;
  private practising = false;
  private readonly pace = new Pace();
  private readonly hand: HandWatch | null;
  private readonly withdrawal: Withdrawal;
  private rested = ""; // the question before which a break was offered

  constructor(
    private me: Me,
    private readonly api: Api,
    private readonly queue: Queue,
    private readonly storage: BrowserStorage,
    private readonly retry: Retry,
    private readonly config: Config,
  ) {
    this.frame = retry.frame;
    this.standing = me;
    this.media = new Media(config.root);
    this.hand = config.hand ? new HandWatch() : null;
    this.sender = new Sender(
      (request) => api.answers(request),
      queue,
      retry.backoff,
      (reply) => this.told(reply),
      (refusal) => this.amiss(refusal),
      (questions) => {
        for (const question of questions) this.done.delete(question);
      },
    );
    this.withdrawal = new Withdrawal(api, storage, retry, queue, me.code);
    this.sender.want = me.ahead + 1;
    this.hear(me);
    const short = this.held.length > 0 && this.held.length < this.sender.want;
    if (queue.size || short) void this.sender.sync();
  }

  /** The next trial. */
  async next(): Promise<Step> {
    for (;;) {
      if (!this.asking) return this.outside();
      const question = this.held[0];
      if (!question) await this.frame.during(this.more(), say("loading"));
      const step = question && (this.between(question) ?? (await this.ask(question)));
      if (step) return step;
    }
  }

  /** Where no questions are asked: pages, and the end. */
  private outside(): Step | Promise<Step> {
    this.frame.progress(null);
    this.frame.announce("");
    const { state, page } = this.standing;
    if (state === "stopped") return this.stopped();
    if (state === "withdrawn") return this.left();
    if (state === "debrief" || state === "finished") return this.last();
    return this.read(page!);
  }

  /** All that the server says at the beginning, and after a page. */
  private hear(me: Me): void {
    this.standing = this.me = me;
    this.offer("");
    this.hold(me.questions);
  }

  /** The button to stop; after the last question it is about the answers alone. */
  private offer(when: "" | ".after"): void {
    const ask = () => void this.withdrawal.ask(when);
    this.frame.offer(this.me.withdraw, say(`withdraw${when}`), ask);
  }

  private told(reply: AnswersReply): void {
    this.standing = reply;
    this.hold(reply.questions);
    this.showProgress();
  }

  private hold(questions: Question[]): void {
    const open = (question: Question) =>
      !this.done.has(question.id) && !this.queue.has(question.id);
    this.held = questions.filter(open).sort((one, other) => one.place - other.place);
    const ahead = this.held.filter((question) => question.id !== this.current?.id);
    this.media.hold(this.current ? [this.current, ...ahead] : ahead);
  }

  private amiss(refusal: Refusal | null): void {
    if (refusal === null) this.frame.warn(null);
    else if (refusal.passing) this.frame.warn(say("offline"));
    else void this.retry.recover(refusal).then(() => this.retry.backoff.wake());
  }

  /** Fetch questions where none are held. A server that has none yet is not asked all the time. */
  private async more(): Promise<void> {
    await this.sender.sync();
    if (this.asking && !this.held.length) await pause(EMPTY_PAUSE_MS);
  }

  /** The end of the practice, or a break, before this question. */
  private between(question: Question): Step | null {
    const begins = this.practising && question.purpose === "main";
    this.practising = question.purpose === "practice";
    this.showProgress();
    if (begins) return note("practice.over.title", say("practice.over.text"));
    if (!question.break_before || this.rested === question.id) return null;
    this.rested = question.id;
    return note("break.title", say("break.text", { ...this.progress }));
  }

  /** The trial of a question, its media loaded; null where it was skipped for want of them. */
  private async ask(question: Question): Promise<Step | null> {
    this.current = question;
    const since = performance.now();
    const prepared = await this.load(question);
    if (!prepared) return null;
    const loading_ms = performance.now() - since;
    this.hand?.begin();
    const begun = { loading_ms, restarts: this.begin(question.id), hand: this.hand };
    this.announce(question);
    return {
      trial: {
        type: plugin(question.plugin),
        prompt: question.prompt,
        head: question.head,
        options: question.options,
        timing: question.timing,
        extra: question.extra,
        skippable: this.me.skip,
        skip_after: this.pace.ms,
        media: (n: number) => prepared.elements[n],
        submit: (data: Data) => this.submit(question, data, begun),
        reason: question.reason ? say(`reason.${question.kind}`) : "",
        given: this.given(question.id),
        keep: (data: Data) => this.storage.set("given", { question: question.id, data }),
        seed: question.id,
      },
      after: async () => this.media.drop(question.id),
    };
  }

  private announce(question: Question): void {
    const { done, total } = this.progress;
    const place = Math.min(done + 1, total);
    const counted = this.practising ? `${say("practice")}.` : say("question", { place, total });
    this.frame.announce(`${counted} ${question.prompt}`);
  }

  private async load(question: Question): Promise<Prepared | null> {
    for (;;) {
      const prepared = this.media.of(question);
      const stuck = prepared.stuck.then(() => "stuck" as const);
      const outcome = await this.frame.during(
        Promise.race([prepared.ready, stuck]),
        say("loading"),
      );
      if (outcome !== "stuck") return prepared;
      this.media.drop(question.id);
      const buttons = [say("retry"), say("skip.media")];
      const wish = await this.frame.ask(say("error.title"), this.unshown(), buttons);
      if (wish === 0) continue;
      await this.submit(question, UNSHOWN, { loading_ms: 0, restarts: 0, hand: null });
      return null;
    }
  }

  /** What is said of a question that cannot be shown, and what becomes of the pay. */
  private unshown(): string {
    const pay = this.me.least_answered ? ` ${say("error.media.pay")}` : "";
    return say("error.media") + pay;
  }

  /** How often this question was begun before. */
  private begin(id: string): number {
    const before = this.storage.get<{ id: string; times: number }>("begun");
    const times = before?.id === id ? before.times : 0;
    this.storage.set("begun", { id, times: times + 1 });
    return times;
  }

  /** The answer to this question, where the page was loaded anew while its reason was asked. */
  private given(id: string): Data | null {
    const kept = this.storage.get<{ question: string; data: Data }>("given");
    return kept?.question === id ? kept.data : null;
  }

  /** Keep and send an answer; where the question has feedback, whether it was right. */
  private async submit(question: Question, data: Data, begun: Begun): Promise<boolean | null> {
    this.done.add(question.id);
    this.storage.remove("given");
    this.current = null;
    this.held = this.held.filter((other) => other.id !== question.id);
    const given = answer(question, data, begun);
    if (!given.skipped) this.pace.add(given.rt_ms);
    const reply = this.sender.post(given);
    this.showProgress();
    if (!question.feedback) return null;
    const told = await Promise.race([reply, pause(FEEDBACK_PATIENCE_MS)]);
    return told?.feedback.find((one) => one.question === question.id)?.right ?? null;
  }

  private read(page: NonNullable<Standing["page"]>): Step {
    const { title, fields, kind } = page;
    const consent = kind === "consent";
    const html = this.timed(page.html) + (consent ? this.bargain() : "");
    const needed = this.config.display.needs_headphones;
    const measured = { type: Measure, fields, needed };
    return {
      trial: kind === "measure" ? measured : { type: Page, title, html, fields, consent },
      after: async (response: Filled) => {
        const { agree, values, seconds } = response;
        const pasted = this.hand?.pasted() ?? null;
        const post = () => this.api.page(page.name, { agree, values, seconds, pasted });
        const me = await this.frame.during(this.retry.until(post), say("loading")).catch(again);
        if (!me) return; // the page is shown again
        this.hear(me);
      },
    };
  }

  /** A text that says how long the study takes, in the words of the language, and its pictures. */
  private timed(html: string): string {
    const format = { style: "unit", unit: "minute", unitDisplay: "long" } as const;
    const media = `src="${this.config.root}/media/${encodeURIComponent(this.config.study)}/`;
    const told = html.replaceAll('src="media:', media);
    return told.replaceAll("{duration}", () => number(this.config.minutes, format));
  }

  /** How much is to be answered for the completion code, and what is measured. */
  private bargain(): string {
    const share = Math.round(100 * this.me.least_answered);
    const percent = number(share / 100, { style: "percent" });
    const least = share ? [say("consent.least", { share, percent })] : [];
    const hand = this.config.hand ? [say("consent.hand")] : [];
    return [...least, ...facts(this.config.display), ...hand].map(paragraph).join("");
  }

  private async last(): Promise<Step> {
    while (this.queue.size) await this.frame.during(this.sender.sync(), say("sending"));
    const finish = this.retry.until(() => this.api.finish());
    const completion = await this.frame.during(finish, say("sending"));
    this.offer(".after");
    const page = this.standing.page;
    const title = page?.title ?? say("thanks.title");
    const html = page?.html ?? paragraph(say("thanks.text"));
    const contact = this.frame.contact;
    return { trial: { type: Page, title, html, end: () => farewell(completion, contact) } };
  }

  private left(): Step {
    const left = { kept: true, service: null, code: this.me.code };
    return { trial: farewellOf(left, this.frame.contact) };
  }

  private stopped(): Step {
    const page = this.standing.page;
    const title = page?.title ?? say("stopped.title");
    const html = page?.html ?? paragraph(say("stopped.text"));
    return { trial: { type: Page, title, html, end: () => [] } };
  }

  /** Where the server stands, and what it will hear of yet. */
  private get progress(): Progress {
    const { done, total } = this.standing.progress;
    const unsent = this.practising ? 0 : this.queue.size;
    return { done: Math.min(total, done + unsent), total };
  }

  private showProgress(): void {
    if (this.asking) this.frame.progress(this.practising ? "practice" : this.progress);
  }

  private get asking(): boolean {
    return this.standing.state === "practice" || this.standing.state === "tasks";
  }
}

/** What was filled in was refused, and the participant told so. */
function again(error: unknown): null {
  if (error instanceof Refusal) return null;
  throw error;
}

/** A word between questions. */
function note(title: string, text: string): Step {
  return { trial: { type: Page, title: say(title), html: paragraph(text) } };
}

function paragraph(text: string): string {
  return h("p", {}, text).outerHTML;
}
