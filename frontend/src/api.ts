/** The server's doors, as protocol.ts has them. */
import type {
  AnswersReply,
  AnswersRequest,
  Completion,
  Config,
  Entered,
  Entry,
  Me,
  PageResponse,
  Refused,
  Withdrawal,
  Withdrawn,
} from "./protocol";
import { language } from "./strings";

const PATIENCE_MS = 30_000;
const FOREIGN = "foreign"; // not our server's words: of a proxy, or of a network that wants a log-in

/** A request that failed: refused by the server, or never there (`status` 0, code "network"). */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly remedy = "",
    readonly questions: string[] = [],
    readonly after_ms: number | null = null,
  ) {
    super(message);
  }

  /** Whether the same request may succeed later, with nobody doing anything. */
  get passing(): boolean {
    const later = this.status === 0 || this.status >= 500 || [408, 425, 429].includes(this.status);
    return later || this.code === FOREIGN;
  }
}

export class Api {
  token = "";

  constructor(private readonly config: Config) {}

  enter(entry: Entry): Promise<Entered> {
    const study = encodeURIComponent(this.config.study);
    return this.call("POST", `/api/studies/${study}/participants`, entry);
  }

  me(): Promise<Me> {
    return this.call("GET", "/api/me");
  }

  page(name: string, response: PageResponse): Promise<Me> {
    return this.call("POST", `/api/me/pages/${encodeURIComponent(name)}`, response);
  }

  answers(request: AnswersRequest): Promise<AnswersReply> {
    return this.call("POST", "/api/me/answers", request);
  }

  finish(): Promise<Completion> {
    return this.call("POST", "/api/me/finish", {});
  }

  withdraw(wish: Withdrawal): Promise<Withdrawn> {
    return this.call("POST", "/api/me/withdraw", wish);
  }

  private async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers: Record<string, string> = { Accept: "application/json" };
    headers["Accept-Language"] = language().code;
    if (this.token) headers["Authorization"] = `Bearer ${this.token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    try {
      const reply = await fetch(this.config.root + path, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        credentials: "omit",
        cache: "no-store",
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      if (!reply.ok) throw await refusal(reply);
      return (await reply.json()) as T;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new Refusal(0, "network", String(error)); // no reply, or one cut off in the middle
    }
  }
}

async function refusal(reply: Response): Promise<Refusal> {
  const after = Number(reply.headers.get("Retry-After") ?? NaN);
  const failure = (await reply.json().catch(() => null)) as Refused | null;
  const { code, message, remedy, questions } = failure?.error ?? {
    code: FOREIGN,
    message: reply.statusText,
    remedy: "",
    questions: [],
  };
  const after_ms = Number.isFinite(after) ? after * 1000 : null;
  return new Refusal(reply.status, code, message, remedy, questions ?? [], after_ms);
}
