"""Descriptions of the columns of an export, for its codebook."""

ANSWER = {
    "observer": "Pseudonym of the person.",
    "simulated": "Whether the person is a simulated one.",
    "side": "Place of the chosen option among those shown, from 0 (left or top), if any.",
    "rt_ms": "Milliseconds from the paint of the question to the answer.",
    "time": "When the server stored the answer, UTC.",
    "purpose": "main, gold (the right answer is known), repeat (asked before) or practice.",
    "strategy": "Who chose the question: a strategy, start, held out, random, gold or repeat.",
    "held_out": "Whether the server kept the answer to test its fits.",
}
LOG = {
    "answer": "Number in the log; it only grows.",
    "observer": ANSWER["observer"],
    "simulated": ANSWER["simulated"],
    "place": "Place of the question among all of this person's, from 0.",
    "kind": "Kind of question.",
    "purpose": ANSWER["purpose"],
    "strategy": ANSWER["strategy"],
    "held_out": ANSWER["held_out"],
    "head": "Item that the options were compared with; empty where there is none.",
    "options": "Options in the order shown (in CSV separated by |).",
    "known": "The right answer, where it is known.",
    "chosen": "What was chosen, or the place of each item (JSON); empty for a skip.",
    "right": "Whether the answer was right, where that is known.",
    "skipped": "Whether the person chose not to answer.",
    "excluded": "Whether the person was excluded: then the answers do not count.",
    "rt_ms": ANSWER["rt_ms"],
    "served": "When the question was served, UTC.",
    "time": ANSWER["time"],
    "client": "What the browser recorded: focus, screen, input, loading (JSON).",
    "question": "What else the question was made of: seed, signal (JSON).",
}
CONDITION = {"condition": "What the question was asked under: [conditions] of study.toml."}
ARM = {"arm": "The conditions that the person goes through, in their order."}
HAND = {"by_program": "Share of answers that a script gave, or a mouse that leapt."}
LANGUAGE = {"language": "In which language the person read the last page."}
PARTICIPANT = {
    "observer": ANSWER["observer"],
    "simulated": ANSWER["simulated"],
    "source": "Who sent the person.",
    "state": "entered, consented, finished, stopped or withdrawn (of who let the answers be kept).",
    "entered": "When, UTC.",
    "finished": "When, UTC.",
    "excluded": LOG["excluded"],
    "answers": "Answers, practice left out.",
    "skipped": "Questions skipped.",
    "gold_answers": "Gold questions answered.",
    "gold_right": "How many of them right.",
    "repeat_answers": "Questions answered twice.",
    "repeat_agreement": "Share of them answered alike.",
    "median_rt_ms": "Median response time.",
    "fast_share": "Share of answers quicker than quality.fast_ms.",
    "side_share": "Share of answers at the place chosen most often.",
    "likelihood": "Geometric mean of the probability of the answers under the last fit.",
    "flags": "Rules of the study that apply.",
}
IDENTIFIED = {
    "external_id": "The id at the source: personal data. None before consent.",
    "browser": "Its report (JSON).",
}
PAGE = {
    "observer": ANSWER["observer"],
    "simulated": ANSWER["simulated"],
    "page": "Name of the page.",
    "field": "What was asked there.",
    "value": "What was answered (a list in JSON).",
    "time": "When, UTC.",
}
ITEM = {
    "item": "Name, as in the other files.",
    "type": "image, text, audio or video.",
    "text": "What it says.",
    "alt": "What a screen reader says.",
    "label": "Its class.",
    "url": "Its own page.",
    "file": "Its file in the study's folder.",
    "image": "Where the picture is, from this folder on.",
    "digest": "Of its content (SHA-256, the first 128 bits).",
}
FIT = {
    "number": "Fit, from 1.",
    "time": "When, UTC.",
    "model": 'Choice model; of `model = "auto"`, the one chosen.',
    "answers": "Answers told before it began.",
    "held_out_answers": "Answers that test it.",
    "held_out_error": "Share of them that it does not predict.",
    "held_out_log_loss": "Their mean -log P, in nats.",
    "trust": "Share of the adaptive questions that the guard left to them.",
    "click_weight": "Weight of a click of the search page in units of an answer; 0: not fitted.",
    "seconds": "What it took.",
}
STOPPING = {
    "time": "When the rules were looked at, UTC.",
    "answers": "Answers in the map.",
    "told_of": "Answers after which error and gain were worked out.",
    "error": "Error on random questions: the upper end of its interval of 95 %.",
    "gain": "By how much a quarter more answers would lower it: the forecast's upper end.",
    "bound_answers": "The rule: pause at so many answers.",
    "bound_error": "The rule: pause where the error is below.",
    "bound_gain": "The rule: pause where the gain is below.",
    "paused_by": "The rules that paused the study.",
}
EVENT = {
    "time": "When, UTC.",
    "who": "Who did it.",
    "what": "What was done.",
    "details": "More of it (JSON).",
}
TYPES = {  # types of columns by name, in the terms of data packages; others are text
    "boolean": "simulated held_out right skipped excluded correct headphones_passed",
    "integer": "side answer place answers gold_answers gold_right repeat_answers number "
    "held_out_answers told_of bound_answers trial seed rating points "
    "errors trials headphones_right",
    "number": "by_program rt_ms repeat_agreement median_rt_ms fast_share side_share "
    "likelihood held_out_error held_out_log_loss trust click_weight seconds "
    "error gain "
    "bound_error bound_gain x y signal pixels_per_cm distance_cm",
    "datetime": "time served entered finished",
}


def type_of(table: str, column: str) -> str:
    if (table, column) == ("participants", "skipped"):
        return "integer"  # counts
    return next((kind for kind, names in TYPES.items() if column in names.split()), "string")
