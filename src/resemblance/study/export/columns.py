"""Descriptions of the columns of an export, for its codebook."""

from resemblance.catalog import REASON

ANSWER = {
    "observer": "Pseudonym of the person.",
    "simulated": "Whether the person is simulated.",
    "side": "Place of the chosen option among those shown, from 0 (left or top), if any.",
    "rt_ms": "Milliseconds from the display of the question to the answer.",
    "time": "When the server stored the answer, UTC.",
    "purpose": "main, gold (the right answer is known), repeat (asked before) or practice.",
    "strategy": "How the question was chosen: a strategy, start, held out, random, gold or repeat.",
    "held_out": "Whether the answer is held out to test the server's fits.",
}
LOG = {
    "answer": "Number of the answer in the log, increasing with time.",
    "observer": ANSWER["observer"],
    "simulated": ANSWER["simulated"],
    "place": "Place of the question among all of this person's, from 0.",
    "kind": "Kind of question.",
    "purpose": ANSWER["purpose"],
    "strategy": ANSWER["strategy"],
    "held_out": ANSWER["held_out"],
    "head": "Item that the options were compared with; empty if there is none.",
    "options": "Options in the order shown (in CSV separated by |).",
    "known": "The right answer, if it is known.",
    "chosen": "The chosen option, or the position of each item (JSON); empty for a skip.",
    "right": "Whether the answer was right, if that is known.",
    "skipped": "Whether the person skipped the question.",
    "excluded": "Whether the person was excluded, so that the answers do not count.",
    "rt_ms": ANSWER["rt_ms"],
    "served": "When the question was served, UTC.",
    "time": ANSWER["time"],
    "client": "What the browser recorded: focus, screen, input, loading (JSON).",
    "question": "Further parameters of the question, such as seed and signal (JSON).",
}
WORDS = {
    REASON: "In which way items differ, as the person typed it; empty if skipped or not asked.",
    "reason_asked": "Whether the person was asked in which way.",
}
CONDITION = {"condition": "Condition of the question: [conditions] of study.toml."}
ARM = {"arm": "Conditions that the person goes through, in order."}
HAND = {"by_program": "Share of answers from a script, or after a jump of the pointer."}
LANGUAGE = {"language": "Language of the last page that the person filled in."}
PARTICIPANT = {
    "observer": ANSWER["observer"],
    "simulated": ANSWER["simulated"],
    "source": "Service that sent the person.",
    "state": "entered, consented, finished, stopped or withdrawn (if the answers may be kept).",
    "entered": "Time of entry, UTC.",
    "finished": "Time of completion, UTC.",
    "excluded": LOG["excluded"],
    "answers": "Number of answers, without practice.",
    "skipped": "Number of skipped questions.",
    "gold_answers": "Number of answered gold questions.",
    "gold_right": "Number of gold questions answered right.",
    "repeat_answers": "Number of questions answered twice.",
    "repeat_agreement": "Share of repeated questions with the same answer.",
    "median_rt_ms": "Median response time.",
    "fast_share": "Share of answers quicker than quality.fast_ms.",
    "side_share": "Share of answers at the place chosen most often.",
    "likelihood": "Geometric mean of the probability of the answers under the last fit.",
    "flags": "Rules of the study that apply.",
}
IDENTIFIED = {
    "external_id": "Id at the recruiting service, which is personal data; none before consent.",
    "browser": "Report of the person's browser (JSON).",
}
PAGE = {
    "observer": ANSWER["observer"],
    "simulated": ANSWER["simulated"],
    "page": "Name of the page.",
    "field": "Name of the field.",
    "value": "Answer in the field (a list in JSON).",
    "time": "Time of the answer, UTC.",
}
ITEM = {
    "item": "Name, as in the other files.",
    "type": "image, text, audio or video.",
    "text": "Content of a text.",
    "alt": "Description for screen readers.",
    "label": "Class of the item.",
    "url": "Web page of the item.",
    "file": "File in the study's folder.",
    "image": "Path of the picture, relative to this folder.",
    "digest": "Digest of the content (first 128 bits of SHA-256).",
}
FIT = {
    "number": "Number of the fit, from 1.",
    "time": "End of the fit, UTC.",
    "model": 'Choice model; with `model = "auto"`, the chosen one.',
    "answers": "Number of answers when the fit began.",
    "held_out_answers": "Number of held-out answers.",
    "held_out_error": "Share of held-out answers that the fit predicts wrongly.",
    "held_out_log_loss": "Mean -log P of held-out answers, in nats.",
    "trust": "Share of adaptive questions that the guard allows (1: all).",
    "click_weight": "Weight of a click on the search page, in answers; 0: clicks are not fitted.",
    "seconds": "Duration of the fit.",
}
STOPPING = {
    "time": "Time of the check, UTC.",
    "answers": "Number of answers in the map.",
    "told_of": "Number of answers from which error and gain were computed.",
    "error": "Error on random questions: the upper end of its 95 % interval.",
    "gain": "Fall of the error with 25 % more answers: the forecast's upper end.",
    "spacing": "How even and certain the spacing of designed stimuli is.",
    "bound_answers": "Rule: pause at this number of answers.",
    "bound_error": "Rule: pause when the error is below this.",
    "bound_gain": "Rule: pause when the gain is below this.",
    "bound_spacing": "Rule: pause when the spacing is at or below this.",
    "paused_by": "Rules that paused the study.",
}
SPACING = {
    "round": "Number of times that stimuli were drawn.",
    "a": "The stimulus at a node.",
    "b": "The stimulus at a neighbouring node.",
    "distance": "Their distance in the last map.",
    "low": "Lower end of its 95 % interval.",
    "high": "Upper end of its 95 % interval.",
}
EVENT = {
    "time": "Time of the event, UTC.",
    "who": "Actor: an account, a rule or a process.",
    "what": "Name of the event.",
    "details": "Details of the event (JSON).",
}
TYPES = {  # Types of columns in data packages. Columns that are not listed are text.
    "boolean": "reason_asked simulated held_out right skipped excluded correct headphones_passed",
    "integer": "side answer place answers gold_answers gold_right repeat_answers number "
    "held_out_answers told_of bound_answers trial seed rating points errors trials "
    "headphones_right",
    "number": "by_program rt_ms repeat_agreement median_rt_ms fast_share side_share likelihood "
    "held_out_error held_out_log_loss trust click_weight seconds error gain bound_error "
    "bound_gain x y signal pixels_per_cm distance_cm",
    "datetime": "time served entered finished",
}


def type_of(table: str, column: str) -> str:
    if (table, column) == ("participants", "skipped"):
        # In this table "skipped" is a number of answers; in other tables it is a boolean.
        return "integer"
    return next((kind for kind, names in TYPES.items() if column in names.split()), "string")
