/**
 * What the participant's page and the server say to each other: JSON over HTTP.
 *
 * The server drives: after every request it says where the participant stands (`Standing`), and the
 * page shows that. The page keeps no order of pages of its own, so a reload resumes by asking.
 * Every request below may be repeated with the same body and means the same: a page whose network
 * fails in the middle simply sends again.
 *
 *   GET  {root}/s/{study}                       HTML: static/participant.html, filled in (see Config)
 *   POST {root}/api/studies/{study}/participants  Entry         -> Entered
 *   GET  {root}/api/me                                          -> Me
 *   POST {root}/api/me/pages/{name}              PageResponse   -> Me
 *   POST {root}/api/me/answers                   AnswersRequest -> AnswersReply
 *   POST {root}/api/me/finish                    {}             -> Completion
 *
 * All under /api/me carry `Authorization: Bearer <token>`. Errors have the shape `Failure`.
 *
 * The page's Content-Security-Policy, all that it needs:
 *   default-src 'self'; media-src 'self' blob:; object-src 'none'; base-uri 'none';
 *   form-action 'self' [and the host of Completion.redirect, where it is sent by POST]
 */

/**
 * Filled in by the server: static/participant.html holds `__LANG__` and `__TITLE__` (escaped text) and
 * `__CONFIG__` (this object as JSON, every "<" written as \u003c), each once, and loads its files from
 * "/static/assets/" (the names there carry a digest: they may be cached for ever). A server with a
 * `root` puts it before these addresses.
 */
export interface Config {
  study: string; // the name in the addresses
  title: string;
  language: string; // "en", "de", ...: the table of strings; unknown ones fall back to English
  root: string; // what stands before every address, "" unless behind a proxy with a path
  strings?: Record<string, string>; // of this study, in place of single strings of the table
  contact?: string | null; // shown with errors that the participant cannot mend
  simulate?: "data-only" | "visual" | null; // the page answers by itself (tests and demonstrations)
}

/** A participant comes in. The server reads Prolific's, MTurk's and SONA's ids from the parameters. */
export interface Entry {
  parameters: Record<string, string>; // of the page's address, cut at LONGEST_TEXT each
  browser: BrowserReport;
}

export interface BrowserReport {
  agent: string;
  languages: string[];
  timezone: string;
  screen: Screen;
  touch: boolean;
  reduced_motion: boolean;
  dark: boolean; // whether the page is shown in dark colours
  page: string; // the version of this page
}

export interface Screen {
  width: number; // CSS pixels of the window
  height: number;
  ratio: number; // device pixels per CSS pixel
}

export interface Entered {
  token: string; // kept in localStorage; a later Entry of the same external id gives a new one
  code: string; // the participant's pseudonym, "P0001"
}

export type State =
  | "consent"
  | "instructions"
  | "practice"
  | "tasks"
  | "questionnaire"
  | "debrief" // all is answered: the page calls finish at once and shows code and text together
  | "finished" // as debrief: finish may be called again and says the same
  | "stopped"; // consent declined, or stopped by a rule: `page` says why, or is null

/** Where the participant stands. */
export interface Standing {
  state: State;
  page: Page | null; // to show now; null in "practice" and "tasks"
  progress: Progress;
}

/** Of the main questions (gold and repeats among them, practice not): skipped ones count as done. */
export interface Progress {
  done: number;
  total: number;
}

export interface Me extends Standing {
  code: string;
  questions: Question[]; // all that are out (served, not yet answered), by place
  ahead: number; // how many questions to hold beyond the one on the screen, 0 (staircase) to 3
  skip: boolean; // whether a question may be skipped (else only one whose media cannot be had is)
}

/** A page of text: the server's own rendering of markdown, safe to insert as it is. */
export interface Page {
  name: string; // of the address it is answered to
  kind: "consent" | "instructions" | "questionnaire" | "debrief" | "stopped";
  title: string;
  html: string;
  fields: Field[]; // asked below the text; usually none but in questionnaires
}

export type Field = TextField | NumberField | ChoiceField | ScaleField;

interface FieldBase {
  name: string;
  label: string;
  required: boolean;
}

export interface TextField extends FieldBase {
  type: "text";
  lines: number; // 1: a single line
  max_length: number;
}

export interface NumberField extends FieldBase {
  type: "number";
  min: number | null;
  max: number | null;
  step: number | null; // 1: whole numbers; null: any
}

export interface ChoiceField extends FieldBase {
  type: "choice";
  options: { value: string; label: string }[];
  multiple: boolean; // several may be ticked: the value is a list
}

export interface ScaleField extends FieldBase {
  type: "scale";
  min: number; // whole numbers from min to max, each a point of the scale
  max: number;
  low: string; // what stands at its ends
  high: string;
}

export interface PageResponse {
  agree: boolean | null; // consent pages: true or false; others: null
  values: Record<string, string | number | string[] | null>; // of the fields; null: left empty
  seconds: number; // how long the page was shown
}

export type Kind = "triplet" | "one_of_n" | "odd_one_out" | "match_to_sample" | "classify";

export interface Question {
  id: string;
  kind: Kind;
  purpose: "main" | "practice"; // gold and repeats look like main
  place: number; // within the participant, growing
  prompt: string; // plain text
  head: Item | null; // what options are compared to; the sample; the image to classify; none in odd_one_out
  options: Item[]; // in the order shown; two in match_to_sample (left, right) and classify (labels)
  timing: Timing | null; // match_to_sample and classify; null: all is shown until the answer
  feedback: boolean; // the page waits for the answer's feedback and shows (and sounds) it
  break_before: boolean; // a break is offered before this question
}

export interface Item {
  type: "image" | "text" | "audio" | "video";
  url: string | null; // of image, audio, video: of this host, fetched without a token
  text: string | null; // of text
  alt: string; // what a screen reader says; "" leaves "Option 2"
}

/** Of one trial, in milliseconds: fixation, head, gap, options. */
export interface Timing {
  fixation_ms: number; // 0: none
  head_ms: number | null; // null: the head stays with the options
  gap_ms: number;
  gap: "blank" | "mask"; // mask: grey noise over the place of the head
  options_ms: number | null; // null: until the answer; else they vanish and the page still waits
}

export interface AnswersRequest {
  answers: Answer[]; // at most MAX_BATCH, oldest first; may be empty; an answer may come again
  /** How many questions the page wants to have out, those already out included (0 to MAX_WANT). */
  want: number;
}

export interface Answer {
  question: string;
  response: Response | null; // null: skipped
  skipped: boolean;
  rt_ms: number; // from the paint of what is to be answered to the event that answered it; at most
  // LONGEST_MS (someone went away and came back the next week)
  client: ClientReport;
}

/** The place of the option chosen in `options`; in classify the place of the label. */
export type Response = { chosen: number } | { label: 0 | 1 };

/** Kept as it is: how the trial went. */
export interface ClientReport {
  shown: number; // Unix time of the paint, milliseconds, by the participant's clock
  input: "mouse" | "touch" | "pen" | "keyboard" | "simulated";
  focus_losses: number; // how often the window lost the focus or was hidden during the trial
  unfocused_ms: number;
  screen: Screen;
  loading_ms: number; // how long the participant waited for the question's media
  timing: { head_ms: number; gap_ms: number } | null; // as measured between paints
  plays: number[] | null; // audio and video: how often each was started (head first, if any)
  restarts: number; // how often the trial was begun before (reloads in its middle)
}

export interface AnswersReply extends Standing {
  acknowledged: string[]; // ids of the answers that are stored, now or before
  questions: Question[]; // all that are out now, by place: those that the page has, too
  feedback: Feedback[]; // of the answers of this request whose question has feedback
}

export interface Feedback {
  question: string;
  right: boolean;
}

/** What the participant takes home. Repeatable. 409 "unfinished" where answers are missing. */
export interface Completion {
  code: string | null;
  redirect: Redirect | null;
}

export interface Redirect {
  url: string;
  method: "GET" | "POST"; // MTurk's external question is submitted by POST
  fields: Record<string, string>; // of the POST
}

/**
 * Every 4xx and 5xx. The page speaks the string "error.<code>" of its table where there is one, else
 * `message` and `remedy`. It tries again by itself on 408, 425, 429 (after Retry-After), 5xx and
 * network errors, enters anew on 401, and shows the rest.
 *
 * Codes that the page knows: closed, paused, full, second_entry, excluded, preview, consent_required,
 * unknown_token, unknown_question, unfinished, invalid_response, unknown_study.
 */
export interface Failure {
  error: {
    code: string;
    message: string;
    remedy: string;
    questions?: string[]; // of unknown_question (nothing of the batch was stored): which ones;
    // the page sets them aside and sends the rest again
  };
}

export const MAX_WANT = 4;
export const MAX_BATCH = 20;
export const LONGEST_MS = 86_400_000;
export const LONGEST_TEXT = 500;
