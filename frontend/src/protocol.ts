/**
 * Messages between the participant's page and the server: JSON over HTTP.
 *
 * The server drives: after every request it says where the participant stands (`Standing`), and the
 * page shows that. The page keeps no order of pages of its own, so a reload resumes by asking.
 * Every request below may be repeated with the same body and means the same: a page whose network
 * fails in the middle simply sends again.
 *
 *     GET  {root}/s/{study}                         HTML: static/participant.html, see Config
 *     POST {root}/api/studies/{study}/participants  Entry          -> Entered
 *     GET  {root}/api/me                                           -> Me
 *     POST {root}/api/me/pages/{name}               PageResponse   -> Me
 *     POST {root}/api/me/answers                    AnswersRequest -> AnswersReply
 *     POST {root}/api/me/finish                     {}             -> Completion
 *     POST {root}/api/me/withdraw                   Withdrawal     -> Withdrawn
 *
 * All under /api/me carry `Authorization: Bearer <token>`. Every 4xx and 5xx has the shape `Refused`.
 * The page speaks the string "error.<code>" of its table where there is one, else `message` and
 * `remedy`. It tries again by itself on 408, 425, 429 (after Retry-After), 5xx, network errors, and
 * what has another shape, which a proxy said; it enters anew on `unknown_token`, and shows the rest.
 *
 * Made by `make protocol` from src/resemblance/study/protocol.py: change that.
 */
// schema d13bb82a59a88715780e055fbddb0cfcb80a912273453d9dbd10121dfc41005a

export type FormField = TextField | NumberField | ChoiceField | ScaleField;
/** An answer to a question, or its skip. */
export interface Answer {
  question: string;
  /** What was answered, mostly the place of an option: {chosen: 0}; null: skipped. */
  response: {
    [k: string]: unknown;
  } | null;
  /** In which way, in a word or two; "": asked and skipped; null: not asked. */
  reason: string | null;
  skipped: boolean;
  /** From the paint of what is to be answered to the event that answered it. */
  rt_ms: number;
  client: ClientReport;
}
/** How a trial went. */
export interface ClientReport {
  /** Unix time of the paint in milliseconds. */
  shown: number;
  input: "mouse" | "touch" | "pen" | "keyboard" | "simulated";
  /** How often the window was left during the trial. */
  focus_losses: number;
  unfocused_ms: number;
  screen: Screen;
  /** How long the participant waited for media. */
  loading_ms: number;
  timing: MeasuredTiming | null;
  /** How often each sound or film was started, head first. */
  plays: number[] | null;
  /** Where the study keeps it. */
  hand: Hand | null;
  /** How often the trial was begun before. */
  restarts: number;
  /** Whether a part could not be loaded: such a question may always be skipped. */
  unshown: boolean;
}
/** The window. */
export interface Screen {
  /** In CSS pixels. */
  width: number;
  height: number;
  /** Device pixels per CSS pixel. */
  ratio: number;
}
/** The course of a timed trial, as measured between paints. */
export interface MeasuredTiming {
  head_ms: number;
  gap_ms: number;
}
/** How a question was answered: numbers that tell a hand from a program. */
export interface Hand {
  /** How often a mouse moved. */
  moves: number;
  /** Pixels, straight, from where the mouse was to where it was pressed last. */
  way: number | null;
  /** Presses, keys and clicks that a script made. */
  synthetic: number;
  /** Whether the browser says that a program steers it. */
  driven: boolean;
}
/** What is stored, and what comes next. */
export interface AnswersReply {
  /** In debrief all is answered: the page calls finish, which may be called again. */
  state:
    | "consent"
    | "instructions"
    | "practice"
    | "tasks"
    | "questionnaire"
    | "debrief"
    | "finished"
    | "stopped"
    | "withdrawn";
  /** To show now; null in practice and tasks. */
  page: Page | null;
  progress: Progress;
  /** Questions whose answers are stored, now or before. */
  acknowledged: string[];
  /** All that are out now, by place. */
  questions: Question[];
  /** Of the answers of this request whose question has it. */
  feedback: Feedback[];
}
/** A page of text: the server's own rendering of Markdown, safe to insert as it is. */
export interface Page {
  /** Of the address that it is answered to. */
  name: string;
  kind: "consent" | "measure" | "instructions" | "questionnaire" | "debrief" | "stopped";
  title: string;
  html: string;
  /** Asked below the text. */
  fields: FormField[];
}
/** Words; `lines` is 1 for a single line. */
export interface TextField {
  type: "text";
  label: string;
  required: boolean;
  lines: number;
  max_length: number;
  name: string;
}
/** A number; a `step` of 1 takes whole ones. */
export interface NumberField {
  type: "number";
  label: string;
  required: boolean;
  min: number | null;
  max: number | null;
  step: number | null;
  name: string;
}
/** One of several; several of them where `multiple`, then the value is a list. */
export interface ChoiceField {
  type: "choice";
  label: string;
  required: boolean;
  /** @minItems 2 */
  options: string[];
  multiple: boolean;
  name: string;
}
/** A point of a scale from `min` to `max`; `low` and `high` stand at its ends. */
export interface ScaleField {
  type: "scale";
  label: string;
  required: boolean;
  min: number;
  max: number;
  low: string;
  high: string;
  name: string;
}
/** How many of the main questions are done, gold, repeats and skipped ones among them. */
export interface Progress {
  done: number;
  total: number;
}
/** A question, as the page gets it. */
export interface Question {
  id: string;
  /** Of what kind it is, as study.toml names it. */
  kind: string;
  /** The plugin that shows it, as its info names it. */
  plugin: string;
  /** Gold and repeats look like main. */
  purpose: "main" | "practice";
  /** Within the participant, growing. */
  place: number;
  /** Plain text. */
  prompt: string;
  /** What the options are compared with, if anything. */
  head: Item | null;
  /** In the order shown. */
  options: Item[];
  /** Null: all is shown until the answer. */
  timing: Timing | null;
  /** What its plugin needs besides. */
  extra: {
    [k: string]: unknown;
  };
  /** Whether the page asks after the answer in which way. */
  reason: boolean;
  /** Whether the page waits for the answer's feedback and shows it. */
  feedback: boolean;
  /** Whether a break is offered before it. */
  break_before: boolean;
}
/** What is shown in one place of a question. */
export interface Item {
  type: "image" | "text" | "audio" | "video";
  /** Of this host, fetched without a token; null of a text. */
  url: string | null;
  text: string | null;
  /** What a screen reader says; "" leaves "Option 2". */
  alt: string;
  /** Pixels of the longer side that a picture can be had with, as ?side=240, for its own. */
  sides: number[];
}
/** The course of a trial in milliseconds: fixation, head, gap, options. */
export interface Timing {
  /** 0: none. */
  fixation_ms: number;
  /** Null: the head stays with the options. */
  head_ms: number | null;
  gap_ms: number;
  /** mask: grey noise over the place of the head. */
  gap: "blank" | "mask";
  /** Null: until the answer; else they vanish, and the page waits. */
  options_ms: number | null;
}
/** Whether an answer was right. */
export interface Feedback {
  question: string;
  right: boolean;
}
/** Answers, oldest first, and how many questions the page wants to have out. */
export interface AnswersRequest {
  /**
   * An answer may come again.
   *
   * @maxItems 20
   */
  answers: Answer[];
  /** Those already out included. */
  want: number;
}
/** The browser at entry. */
export interface BrowserReport {
  /** @maxItems 20 */
  languages: string[];
  timezone: string;
  screen: Screen;
  touch: boolean;
  reduced_motion: boolean;
  /** Whether the page is shown in dark colours. */
  dark: boolean;
  /** The version of the page. */
  page: string;
}
/** What the participant takes home. */
export interface Completion {
  /** null: a researcher looks at the work before it is paid. */
  code: string | null;
  redirect: Redirect | null;
}
/** Where the browser goes at the end; MTurk takes a POST of the fields. */
export interface Redirect {
  url: string;
  method: "GET" | "POST";
  fields: {
    [k: string]: string;
  };
}
/** What the server fills into the page, in place of `__CONFIG__`, with every "<" escaped. */
export interface Config {
  /** The name in the addresses. */
  study: string;
  /**
   * Those of the study, its own first.
   *
   * @minItems 1
   */
  languages: Spoken[];
  display: Look;
  /** What the study takes, for {duration} in its pages. */
  minutes: number;
  /** Before every address; "" unless behind a proxy with a path. */
  root: string;
  /** Whether answers tell how they were entered. */
  hand: boolean;
  /** Shown with errors that the participant cannot mend. */
  contact: string | null;
  /** The page answers by itself, for tests and demonstrations. */
  simulate: ("data-only" | "visual") | null;
}
/** A language of the study, which all requests name as Accept-Language. */
export interface Spoken {
  code: string;
  /** As its speakers call it. */
  name: string;
  direction: "ltr" | "rtl";
  /** Of the study. */
  title: string;
  /** What the page itself says; where a number decides, a text for each plural of Intl. */
  strings: {
    [k: string]:
      | string
      | {
          [k: string]: string;
        };
  };
}
/** What all people see alike, and what is measured. */
export interface Look {
  /** Colours: auto, light or dark. */
  scheme: string;
  /** Around the stimuli, "#808080"; all follows it. */
  surround: string | null;
  /** Smallest window, in CSS pixels. */
  min_width: number;
  min_height: number;
  /** What is measured before the first question. */
  measures: string[];
  needs_headphones: boolean;
}
/** Who the participant is from now on. */
export interface Entered {
  /** Kept by the browser; a later entry of the same external id gives another. */
  token: string;
  /** The participant's pseudonym, "P0001-K7QXM". */
  code: string;
}
/** A participant comes in. Ids of Prolific, MTurk and SONA are read from the parameters. */
export interface Entry {
  /** Of the page's address. */
  parameters: {
    [k: string]: string;
  };
  browser: BrowserReport;
  /** 256 random bits that the page drew, the same when it sends again: it is the same person. */
  key: string | null;
}
/** What a page needs to resume: where the person stands, and the open questions. */
export interface Me {
  /** In debrief all is answered: the page calls finish, which may be called again. */
  state:
    | "consent"
    | "instructions"
    | "practice"
    | "tasks"
    | "questionnaire"
    | "debrief"
    | "finished"
    | "stopped"
    | "withdrawn";
  /** To show now; null in practice and tasks. */
  page: Page | null;
  progress: Progress;
  code: string;
  /** All that are out (served, not yet answered), by place. */
  questions: Question[];
  /** How many questions to hold beyond the one on the screen. */
  ahead: number;
  /** Whether a question may be skipped. */
  skip: boolean;
  /** The share to be answered for the completion code. */
  least_answered: number;
  /** Whether the page offers to withdraw. */
  withdraw: boolean;
}
/** A page was read and filled in. */
export interface PageResponse {
  /** On pages of consent; null on others. */
  agree: boolean | null;
  /** Of the fields; null where left empty. */
  values: {
    [k: string]: string | number | string[] | null;
  };
  /** How long the page was shown. */
  seconds: number;
  /** How often something was pasted, where it is kept. */
  pasted: number | null;
}
/** What is wrong, and what to do. */
export interface Refusal {
  code: string;
  message: string;
  remedy: string;
  /** Which ones are unknown, of unknown_question: nothing was stored. */
  questions: string[] | null;
  [k: string]: unknown;
}
/** The body of every 4xx and 5xx. */
export interface Refused {
  error: Refusal;
}
/** Where the participant stands, and the page to show. */
export interface Standing {
  /** In debrief all is answered: the page calls finish, which may be called again. */
  state:
    | "consent"
    | "instructions"
    | "practice"
    | "tasks"
    | "questionnaire"
    | "debrief"
    | "finished"
    | "stopped"
    | "withdrawn";
  /** To show now; null in practice and tasks. */
  page: Page | null;
  progress: Progress;
}
/** A participant takes part no longer, and says what becomes of the answers so far. */
export interface Withdrawal {
  /** true: they may be kept; false: all that is stored is deleted at once. */
  keep: boolean;
}
/** A participant has withdrawn. Who deleted all is unknown from then on: 401. */
export interface Withdrawn {
  kept: boolean;
  /** Where a submission is to be returned by hand; null: there is none, or it was finished. */
  service: ("prolific" | "mturk") | null;
}

export const MAX_WANT = 4;
export const MAX_BATCH = 20;
export const LONGEST_MS = 86400000;
export const LONGEST_TEXT = 500;
export const LONGEST_REASON = 80;
export const LONGEST_PARAMETER = 4000;
