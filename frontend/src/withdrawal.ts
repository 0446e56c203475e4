/** Taking part no longer: what is asked before, and what stands on the page afterwards. */
import { Refusal, type Api } from "./api";
import { h } from "./dom";
import { CHOSEN } from "./language";
import type { Frame } from "./frame";
import Page from "./plugins/page";
import type { Withdrawn } from "./protocol";
import type { Queue } from "./queue";
import type { Retry } from "./retry";
import type { BrowserStorage } from "./storage";
import { say } from "./strings";

/** How the server says that nothing of somebody is taken any more; a proxy says 401 and 410 as well. */
const GONE = ["unknown_token", "erased", "withdrawn"];
const GO_ON = 0; // the first of the buttons, and what Escape means

/** While questions are asked, or after the last of them. */
type When = "" | ".after";

/** What this device remembers of somebody who has withdrawn. */
interface Left extends Withdrawn {
  code: string;
  address: string;
}

export class Withdrawal {
  private asking = false;

  constructor(
    private readonly api: Api,
    private readonly storage: BrowserStorage,
    private readonly retry: Retry,
    private readonly queue: Queue,
    private readonly code: string,
  ) {}

  /** Ask what becomes of the answers; once that is confirmed, the page loads anew and says so. */
  async ask(when: When): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    window.dispatchEvent(new Event("blur")); // who reads this looks at no question
    const keep = await chosen(this.retry.frame, when);
    if (keep !== null) await this.leave(keep);
    window.dispatchEvent(new Event("focus"));
    this.asking = false;
  }

  private async leave(keep: boolean): Promise<void> {
    const work = this.retry.until(this.request(keep));
    const reply = await this.retry.frame.during(work, say("sending"));
    this.queue.clear(); // what was not sent is taken back, too
    for (const key of this.storage.keys("")) if (key !== CHOSEN) this.storage.remove(key);
    const left: Left = { ...reply, code: this.code, address: location.search };
    this.storage.set("left", left);
    location.reload();
    await new Promise(() => {});
  }

  /** Whoever was deleted is unknown: after a try without a reply that means that it was done. */
  private request(keep: boolean): () => Promise<Withdrawn> {
    let tried = false;
    return async () => {
      try {
        return await this.api.withdraw({ keep });
      } catch (error) {
        const gone = error instanceof Refusal && GONE.includes(error.code);
        if (gone && tried && !keep) return { kept: false, service: null };
        tried = error instanceof Refusal && error.passing;
        throw error;
      }
    };
  }
}

/** Whether the answers may be kept; null to go on with the study. */
async function chosen(frame: Frame, when: When): Promise<boolean | null> {
  const [asked, why] = [say(`withdraw.title${when}`), say(`withdraw.text${when}`)];
  const back = say(`withdraw.back${when}`);
  const ways = [back, say("withdraw.keep"), say("withdraw.delete")];
  const way = await frame.ask(asked, why, ways, GO_ON);
  if (way === GO_ON) return null;
  const what = way === 1 ? "keep" : "delete";
  const [title, text] = [say(`withdraw.${what}.title`), say(`withdraw.${what}.text`)];
  const sure = await frame.ask(title, text, [back, say(`withdraw.${what}.sure`)], GO_ON);
  return sure === GO_ON ? null : what === "keep";
}

/** Whoever withdrew on this device, and came with the same address. */
export function leftBefore(storage: BrowserStorage): Left | null {
  const left = storage.get<Left>("left");
  return left && ["", left.address].includes(location.search) ? left : null;
}

/** The page of somebody who has withdrawn, as a trial. */
export function farewellOf(
  { kept, service, code }: Withdrawn & { code: string },
  contact: string | null,
): Record<string, unknown> {
  const lines = [say(kept ? "withdrawn.kept" : "withdrawn.deleted", { code })];
  if (kept && contact) lines.push(say("withdrawn.later", { contact, code }));
  if (service) lines.push(say(`withdrawn.${service}`));
  lines.push(say("withdrawn.close"));
  const html = lines.map((line) => h("p", {}, line).outerHTML).join("");
  return { type: Page, title: say("withdrawn.title"), html, end: () => [] };
}
