/** Answers that the server has not acknowledged yet. An answer leaves only when it has. */
import { MAX_BATCH, type Answer } from "./protocol";
import type { BrowserStorage } from "./storage";

interface Kept {
  since: number; // the order in which they were given
  answer: Answer;
}

export class Queue {
  private readonly kept = new Map<string, Kept>();
  private latest = 0;

  /** Takes up what an earlier visit of the same participant left. */
  constructor(
    private readonly storage: BrowserStorage,
    private readonly owner: string,
  ) {
    for (const key of storage.keys(this.key(""))) {
      const kept = storage.get<Kept>(key)!;
      this.kept.set(kept.answer.question, kept);
      this.latest = Math.max(this.latest, kept.since);
    }
  }

  get size(): number {
    return this.kept.size;
  }

  has(question: string): boolean {
    return this.kept.has(question);
  }

  /** Keep an answer; the first to a question stands. */
  put(answer: Answer): void {
    if (this.has(answer.question)) return;
    const kept = { since: ++this.latest, answer };
    this.kept.set(answer.question, kept);
    this.storage.set(this.key(answer.question), kept);
  }

  /** The oldest answers. */
  batch(limit = MAX_BATCH): Answer[] {
    return [...this.kept.values()]
      .sort((one, other) => one.since - other.since)
      .slice(0, limit)
      .map((kept) => kept.answer);
  }

  /** The server holds these. */
  acknowledge(questions: string[]): void {
    for (const question of questions) {
      this.kept.delete(question);
      this.storage.remove(this.key(question));
    }
  }

  /** The server will not take the reasons of these: they are sent without. Whether any had one. */
  withoutReason(questions: string[]): boolean {
    const named = [...this.kept.values()].filter(
      ({ answer }) => questions.includes(answer.question) && answer.reason !== null,
    );
    for (const kept of named) {
      kept.answer = { ...kept.answer, reason: null };
      this.storage.set(this.key(kept.answer.question), kept);
    }
    return named.length > 0;
  }

  /** The server will not take these: no longer sent, but not thrown away either. */
  setAside(questions: string[]): void {
    for (const question of questions) {
      this.storage.set(`aside:${this.owner}:${question}`, this.kept.get(question));
    }
    this.acknowledge(questions);
  }

  /** Throw all of them away: their participant has withdrawn. */
  clear(): void {
    this.acknowledge([...this.kept.keys()]);
  }

  private key(question: string): string {
    return `answer:${this.owner}:${question}`;
  }
}
