/** Maps without code: answers are dropped here; a map, its analysis and its files come back.
 *
 * The page sends files to the program that serves it, on the same machine, begins a map, and asks
 * how far it is until it is done. */
import "../palette.css";
import "./style.css";
import { h } from "../dom";

interface Told {
  name: string;
  state: "fitting" | "checking" | "done" | "failed";
  notes: string[];
  folder: string;
  problem?: string;
  stopped?: boolean;
  lines?: [string, string][];
  warnings?: string[];
  files?: { name: string; about: string }[];
}

const ASK_MS = 700;
const STATES = {
  fitting: "Finding the map ...",
  checking: "The map is there. Checking how well it predicts answers held out ...",
  done: "Done.",
  failed: "This did not work.",
};
const EXAMPLES = {
  columns: "head=sample, left=img1, right=img2, chosen=pressed",
  answers: "f=left, j=right",
  only: "task=similarity",
};
const { key, kinds, most, running, fields, switches } = JSON.parse(document.getElementById("config")!.textContent!) as {
  key: string;
  kinds: string[];
  most: number;
  running: string | null; // a map that is being made
  fields: Record<string, string>; // labels of the settings
  switches: Record<string, string>;
};

let answers: File[] = [];
let items: File | null = null;
let map: string | null = null;
let shown = ""; // the state whose map is in the frame

const answersInput = h("input", { type: "file", id: "answers", multiple: true, class: "unseen" });
const itemsInput = h("input", { type: "file", id: "items", class: "unseen" });
const drop = h(
  "label",
  { for: "answers", class: "drop" },
  h("strong", {}, "Drop your file of answers here"),
  h("span", {}, "or click to choose it: a table, or what jsPsych, PsychoPy, Gorilla, Qualtrics, lab.js, Labvanced, oTree or JATOS wrote"),
);
const chosen = h("p", { class: "chosen" });
const itemsLabel = h("label", { for: "items", class: "quiet" }, "Add a file of the items (names, labels, pictures)");
const kind = h(
  "select",
  { id: "kind", name: "kind" },
  h("option", { value: "" }, "what the columns say"),
  ...kinds.map((name) => h("option", { value: name }, name.replaceAll("_", " "))),
);
const words = Object.keys(EXAMPLES).map((name) => {
  const about = name as keyof typeof EXAMPLES;
  return h("input", { id: `how-${name}`, name, type: "text", placeholder: EXAMPLES[about], autocomplete: "off" });
});
const boxes = Object.keys(switches).map((name) => h("input", { type: "checkbox", name, value: "yes" }));
const more = h(
  "details",
  {},
  h("summary", {}, "How the file is read"),
  h("label", { for: "kind" }, fields.kind!),
  kind,
  ...words.flatMap((input) => [
    h("label", { for: input.id }, fields[input.name]!),
    input,
  ]),
  ...boxes.map((box) => h("label", { class: "box" }, box, switches[box.name]!)),
);
const go = h("button", { type: "submit", disabled: true }, "Make the map");
const form = h("form", { submit: (event) => void begin(event) }, drop, answersInput, chosen, itemsLabel, itemsInput, more, go);
const state = h("p", { class: "state", role: "status" });
const stop = h("button", { type: "button", class: "secondary", hidden: true, click: () => void halt() }, "Stop, and keep what there is");
const problem = h("pre", { class: "problem", role: "alert", hidden: true });
const notes = h("ul", { class: "notes" });
const frame = h("iframe", { title: "The map", sandbox: "allow-scripts allow-downloads", hidden: true });
const lines = h("dl", { class: "lines" });
const warnings = h("ul", { class: "warnings" });
const files = h("ul", { class: "files" });
const kept = h("p", { class: "kept" });
const earlier = h("ul");
const before = h("section", { class: "before", hidden: true }, h("h2", {}, "Maps that are kept"), earlier);
const result = h("section", { class: "result", hidden: true, "aria-label": "The map" }, state, stop, problem, notes, frame, h("div", { class: "found" }, lines, h("div", {}, warnings, files, kept)));

document.body.append(
  h(
    "main",
    {},
    h("h1", {}, "A map of your answers"),
    h("p", { class: "about" }, "Everything stays on this machine."),
    form,
    result,
    before,
  ),
);

answersInput.addEventListener("change", () => choose([...(answersInput.files ?? [])]));
itemsInput.addEventListener("change", () => {
  items = itemsInput.files?.[0] ?? null;
  itemsLabel.textContent = items ? `Items: ${items.name}` : "Add a file of the items";
});
for (const name of ["dragenter", "dragover"]) {
  document.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) drop.classList.remove("over");
});
document.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  choose([...(event.dataTransfer?.files ?? [])]);
});

/** Take files of answers. */
function choose(files: File[]): void {
  const large = files.find((file) => file.size > most);
  answers = large ? [] : files;
  go.disabled = !answers.length;
  chosen.textContent = large
    ? `${large.name} has more than ${most >> 20} MB. In a terminal: resemblance fit ${large.name}`
    : answers.length > 1
      ? `${answers.length} files: ${answers.map((file) => file.name).join(", ")}`
      : (answers[0]?.name ?? "");
}

/** Send everything, and begin. */
async function begin(event: Event): Promise<void> {
  event.preventDefault();
  go.disabled = true;
  clear();
  result.hidden = false;
  state.textContent = "Reading ...";
  try {
    const sent: string[] = [];
    for (const file of answers) sent.push(await send(file));
    const settings = Object.fromEntries(
      [kind, ...words, ...boxes.filter((box) => box.checked)].map((input) => [input.name, input.value.trim()]).filter(([, value]) => value),
    );
    const wanted = { answers: sent, items: items && (await send(items)), settings };
    await follow((await call<{ map: string }>("api/maps", JSON.stringify(wanted))).map);
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
  go.disabled = false;
}

/** List the maps that are kept; one that is chosen comes back. */
async function list(): Promise<void> {
  const kept = await call<{ map: string; name: string; made: number }[]>("api/maps");
  before.hidden = !kept.length;
  earlier.replaceChildren(
    ...kept.map(({ map: own, name, made }) =>
      h(
        "li",
        {},
        h("button", { type: "button", class: "secondary", click: () => void again(own, name) }, name),
        ` ${new Date(made * 1000).toLocaleDateString()}`,
      ),
    ),
  );
}

async function again(own: string, name: string): Promise<void> {
  clear();
  result.hidden = false;
  if ((await follow(own)) === "done") state.textContent = name;
  result.scrollIntoView();
}

/** Ask how far a map is until it is done, or another one is looked at; say how it ended. */
async function follow(own: string): Promise<Told["state"]> {
  map = own;
  for (;;) {
    const told = await call<Told>(`api/maps/${own}`);
    if (map !== own) return told.state;
    tell(own, told);
    stop.hidden = told.state === "done" || told.state === "failed";
    if (stop.hidden) {
      await list();
      return told.state;
    }
    await new Promise((done) => setTimeout(done, ASK_MS));
  }
}

async function halt(): Promise<void> {
  stop.disabled = true;
  if (map) await call(`api/maps/${map}/stop`, "");
}

/** Show how far it is, and what there is. */
function tell(own: string, told: Told): void {
  state.textContent = told.stopped ? "Stopped; what there was is kept." : STATES[told.state];
  notes.replaceChildren(...told.notes.map((note) => h("li", {}, note)));
  if (told.state === "failed") {
    fail(told.problem ?? "");
    return;
  }
  const made = told.files ?? [];
  if (made.some((file) => file.name === "map.html") && shown !== told.state) {
    shown = told.state;
    frame.src = `maps/${own}/map.html`;
    frame.hidden = false;
  }
  lines.replaceChildren(
    ...(told.lines ?? []).flatMap(([name, said]) => [h("dt", {}, name), h("dd", {}, said)]),
  );
  warnings.replaceChildren(...(told.warnings ?? []).map((warning) => h("li", {}, warning)));
  if (told.state !== "done") return;
  files.replaceChildren(
    ...made.map((file) =>
      h("li", {}, h("a", { href: `maps/${own}/${file.name}?keep=1` }, file.about), ` (${file.name})`),
    ),
  );
  kept.textContent = `Kept in ${told.folder}`;
}

function fail(what: string): void {
  state.textContent = STATES.failed;
  problem.textContent = what;
  problem.hidden = false;
  stop.hidden = true;
  more.open = true;
}

function clear(): void {
  for (const part of [notes, lines, warnings, files]) part.replaceChildren();
  [problem.hidden, frame.hidden, stop.disabled, shown] = [true, true, false, ""];
  problem.textContent = kept.textContent = "";
}

async function send(file: File): Promise<string> {
  const address = `api/files?name=${encodeURIComponent(file.name)}`;
  return (await call<{ file: string }>(address, file)).file;
}

/** Ask the program; what it refuses is an error in its words. */
async function call<T>(address: string, body?: BodyInit): Promise<T> {
  const kind = typeof body === "string" ? "application/json" : "application/octet-stream";
  const headers = { "X-Key": key, ...(body === undefined ? {} : { "Content-Type": kind }) };
  const method = body === undefined ? "GET" : "POST";
  const answer = await fetch(address, { method, headers, body }).catch(() => {
    throw new Error("The program does not answer: start it again in the terminal.");
  });
  const told = await answer.json();
  if (!answer.ok) throw new Error(`${told.error.message} ${told.error.remedy}`);
  return told as T;
}

if (running) {
  result.hidden = false;
  follow(running).catch((error) => fail(String(error.message)));
}
void list().catch(() => undefined); // the program says why, as soon as it is asked for a map
