"""Describe an analysis in words, line by line."""

from collections.abc import Mapping
from typing import Any

from resemblance.analysis.advice import FEW_QUESTIONS
from resemblance.analysis.second_map import SecondMap
from resemblance.errors import count, first_few
from resemblance.fitting.held_out import ASKED

SLOPES = {
    "honest": "probabilities are calibrated",
    "too sure": "probabilities are too extreme; another model, or a larger penalty, may help",
    "not sure enough": "probabilities are not extreme enough; another model may help",
    "unknown": "too few answers to tell whether probabilities are calibrated",
}

LEAST_SHARE = 0.01  # smaller shares of features are not reported

Part = Mapping[str, Any]


def lines_of(report: Part) -> list[tuple[str, str]]:
    labels, curve, weights = report["labels"], report["dimensions"], report.get("kernel_weights")
    scales, another = report["thresholds"], report["another_dimension"]
    counted, asked = "trials" in report["data"], report["data"]["questions"]
    said = {
        **data_words(report["data"]),
        "people": people_words(report["people"]),
        "overruled": overruled_words(report.get("overruled")),
        "model": model_words(report),
        "models": report["models"] and models_words(report["models"]),
        "fitted rows": seen_words(report.get("seen")),
        **held_out_words(report["held_out"], counted),
        "questions": question_words(asked, report["questions"]),
        "noise ceiling": asked and ceiling_words(report["noise_ceiling"]),
        "kernels": weights and weight_words(weights),
        "machine": machine_words(report.get("machine")),
        "thresholds": scales and threshold_words(scales),
        "features": report["prior"] and prior_words(report["prior"]),
        "features alone": alone_words(report["features_alone"]),
        "without a view": views_words(report["without_views"]),
        "label error": labels and label_words(labels),
        "dimensions": curve and dimension_words(curve),
        "more dimensions": another and another_words(another),
        "repeated rows": copied_words(report["data"]),
        "next": report["next"]["text"],
    }
    return [(name, words) for name, words in said.items() if words]


def data_words(data: Part) -> dict[str, str | None]:
    stray, catch = len(data["unmentioned"]), None
    if data["catch_trials"]:
        catches = data["catch_trials"]
        catch = (
            f"{catches['passed']:,} of {catches['rows']:,} passed "
            f"({catches['pass_rate']:.0%}); they are kept apart"
        )
    return {
        "items": f"{data['items']:,}" + (f", of which {stray:,} in no answer" if stray else ""),
        "observers": data["observers"] and f"{data['observers']:,}",
        "responses": data["responses"] and f"{data['responses']:,}",
        "catch trials": catch,
        "gold questions": gold_words(data["gold"]),
    }


def people_words(people: Part | None) -> str | None:
    if people is None:
        return None
    if people["why"] is not None:
        return f"not screened for guesses: {people['why']}"
    said, n, do = [], len(people["guesses"]), people["do"]
    if n and people["left_out"]:
        said.append(f"{n} of {people['people']} answer like guesses, and are left out ({do})")
    elif n:
        error = people["error"]
        without = "" if error is None else f"; without them the error is {error:.3f}"
        said.append(
            f"{n} of {people['people']} answer like guesses{without} ({do} leaves them out)"
        )
    if differ := len(people["differs"]):
        said.append(f"{differ} answer otherwise than the others, and not by guesses: they are kept")
    return "; ".join(said) or None


def overruled_words(overruled: Part | None) -> str | None:
    if overruled is None or not (overruled["people"] or overruled["items"]):
        return None
    said = f"the map predicts another answer for {overruled['n']:,} questions"
    if overruled["people"]:
        said += f"; unusually often to answers of {first_few(overruled['people'])}"
    if overruled["items"]:
        said += f"; unusually often about {first_few(overruled['items'])}"
    return said


def second_map_words(second: SecondMap) -> str:
    if second.verdict == "yes":
        low, high = second.interval
        items = first_few(second.table["item"])
        return (
            f"two places in people's minds: {items}; held-out answers gain {second.gain:.4f} nats "
            f"(90% interval {low:.4f} to {high:.4f}) over the best single map"
        )
    if second.verdict == "no":
        return "no sign of items with two places, and these answers would show most of them"
    return f"cannot be told yet whether items have two places: about {second.more:,} answers more"


def alone_words(alone: Part | None) -> str | None:
    if alone is None:
        return None
    return f"{error_words(alone)} by distances between them, nothing fitted"


def error_words(held: Part) -> str:
    words = f"error {held['error']:.3f}"
    low_high = held["interval"]
    return (
        words if low_high is None else words + " (95% interval {:.3f} to {:.3f})".format(*low_high)
    )


def views_words(without: Mapping[str, Part]) -> str | None:
    return "; ".join(f"without {view} {error_words(held)}" for view, held in without.items())


def gold_words(n: int) -> str | None:
    return f"{count(n, 'answer')} left out, as everybody is to answer these alike" if n else None


def prior_words(prior: Part) -> str:
    if prior["share"] < LEAST_SHARE:
        return "not used: held-out answers are hardly likelier with them"
    share = f"{prior['share']:.0%}"
    return f"positions follow a {prior['map']} of them (share {share}; the rest is each item's own)"


def machine_words(machine: Part | None) -> str | None:
    if machine is None:
        return None
    answers, weight = count(machine["answers"], "answer"), machine["weight"]
    if not weight:
        return f"{answers} not used: people's held-out answers are hardly likelier with them"
    return (
        f"{answers}, each of which counts {weight:.2g}: people's held-out answers are likelier by "
        f"{machine['gain']:.3f} nats with them"
    )


def copied_words(data: Part) -> str | None:
    times = data.get("copies") or 1
    return (
        f"every row is there {times} times, or a multiple: was the file pasted?"
        if times > 1
        else None
    )


def seen_words(seen: Part | None) -> str | None:
    if seen is None or not seen["share"]:
        return None
    if seen["share"] == 1.0:
        return (
            f"all of them: {seen['error']:.3f} is the training error, and what follows is what the "
            "fit found on answers held out"
        )
    return f"{seen['share']:.0%} of these rows equal rows that were fitted: on them it is flattered"


def model_words(report: Part) -> str:
    model, fit = report["model"], report["fit"]
    said = f"{model['name']} in {count(fit['dimensions'], 'dimension')}"
    if fit["n_iter"] is not None:
        ended = "settled" if fit["converged"] else "stopped"
        said += f", {ended} after {count(fit['n_iter'], 'iteration')}"
    return said if fit["seconds"] is None else f"{said} ({fit['seconds']:.1f} s)"


def models_words(models: Part) -> str:
    """Report the held-out log loss of each choice model, and which models are ruled out.

    A model is ruled out if its loss exceeds the lowest by more than two standard errors over folds.
    With this rule, the wrong one of STE and t-STE wins in 3 % of simulated studies
    (papers/calibration/fitted_recovery.py).
    """
    best, *others = models
    losses = ", ".join(f"{name} {row['log_loss']:.3f}" for name, row in models.items())
    rows = {name: models[name] for name in others}
    close = [name for name, row in rows.items() if row["behind"] <= 2 * row["standard_error"]]
    apart = (
        f"not distinguished from {' and '.join(close)}"
        if close
        else "distinguished from the others"
    )
    return f"held-out log loss {losses}; {best} is {apart}"


def held_out_words(held: Part | None, counted: bool) -> dict[str, str | None]:
    what = "log_likelihood" if counted else "error"
    title = "held-out log-likelihood" if counted else f"error on {held['of'] if held else ASKED}"
    if held is None:
        return {title: "not measured"}
    done, asked = held["folds_finished"], held["folds"]
    if asked and not done:
        return {title: f"not measured: no fold of {asked} is finished"}
    if held["interval"] is None:
        spread = f"one {held['by']} does not say how sure"
    else:
        spread = "95% interval {:.3f} to {:.3f}".format(*held["interval"])
        if held["people_interval"] is not None:
            others = "{:.3f} to {:.3f}".format(*held["people_interval"])
            spread += f" for these people, {others} for people like them"
    folds = f"{asked if done == asked else f'{done} of {asked}'} folds by {held['by']}"
    of = count(held["answers"], "row" if counted else "answer")
    how = f"{of} in {folds}" if asked else f"{of} by {held['by']}"
    if held[what] is None:
        value, spread = "none", "a fit without it holds some answer for impossible"
    else:
        value = f"{held[what]:.3f}"
    said = f"{value} ({spread}; {how}; guessing {held['guessing'][what]:.3f})"
    if counted:
        best = held["own_ratios"]
        most = None if best is None else f"{best:.3f}, that of each pair's own shares"
        return {title: said, "at most": most}
    return {title: said, "log loss": log_loss_words(held), "calibration": slope_words(held)}


def question_words(n: int | None, hardness: Part | None) -> str | None:
    if n is not None and n < FEW_QUESTIONS:
        return f"{count(n, 'different one')} only: nothing is known of the error on others"
    if hardness is None or not hardness["chosen"]:
        return None
    return (
        f"look chosen: the fit expects an error of {hardness['asked']:.3f} on them, and of "
        f"{hardness['random']:.3f} on random ones; a column strategy would tell which were random"
    )


def log_loss_words(held: Part) -> str | None:
    loss = held["log_loss"]
    if loss is None:
        return None
    guess = held["guessing"]["log_loss"]
    worse = ", which is better: trust no probability of this fit" if loss > guess else ""
    return f"{loss:.3f} (guessing {guess:.3f}{worse})"


def slope_words(held: Part) -> str | None:
    slope = held["calibration_slope"]
    if slope is None:
        return None
    low, high = held["calibration_slope_interval"]
    return f"slope {slope:.2f} ({low:.2f} to {high:.2f}): {SLOPES[held['calibration']]}"


def ceiling_words(ceiling: Part) -> str:
    if ceiling["error"] is None:
        return f"unknown: {ceiling['why']}"
    low, high = ceiling["interval"]
    by_whom = ", of the same person" if ceiling["of_same_people"] else ""
    return (
        f"the least possible error is between {low:.3f} and {high:.3f}, by "
        f"{count(ceiling['repeated_questions'], 'question')} asked repeatedly{by_whom}"
    )


def weight_words(weights: Mapping[str, float]) -> str:
    shares = sorted(weights.items(), key=lambda share: -share[1])
    return ", ".join(f"{view} {share:.1%}" for view, share in shares)


def threshold_words(scales: list[Part]) -> str:
    said = []
    for scale in scales:
        n, words = scale["observers"], f"{scale['points']} points"
        if n > 1:
            words += f" by {n:,} observers, who differ by about {scale['shift']:g} (shift) and "
            words += f"{scale['stretch']:g} (stretch) nats"
        said.append(words)
    return "; ".join(said)


def label_words(labels: Part) -> str:
    return (
        f"{labels['neighbour_error']:.3f} by the nearest item (always the most frequent label "
        f"{labels['majority_error']:.3f}); balanced over classes "
        f"{labels['balanced_neighbour_error']:.3f} ({labels['balanced_majority_error']:.3f})"
    )


def dimension_words(curve: Part) -> str:
    least = "" if curve["is_exact"] else f"at least {curve['least']}; "
    return (
        f"{least}{curve['chosen']} chosen of {curve['dims'][0]} to {curve['dims'][-1]} by the "
        f"one-standard-error rule (lowest error at {curve['best']}; the fewest that a corrected "
        f"t-test finds no worse: {curve['not_worse']})"
    )


def another_words(another: Part) -> str:
    gain, (low, high), way = another["gain"], another["interval"], "lower"
    if gain < 0.0:
        gain, low, high, way = -gain, -high, -low, "higher"
    return (
        f"in {another['dimensions']} the error is {way} by {gain:.3f} (95% interval {low:.3f} to "
        f"{high:.3f})"
    )
