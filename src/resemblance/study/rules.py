"""Quality rules: measures of participants, and the actions when a rule applies."""

from typing import Literal, get_args

from pydantic import Field, model_validator

from resemblance.study.sections import Count, Level, Section, Share, Some, setting

RULE = "quality rule"  # actor of rules in the audit trail
MEASURE = Literal[
    "gold", "repeats", "fast", "side", "skipped", "answered", "likelihood", "by_program"
]
# Answers before a rule judges, where there are few of a kind
AFTER = {"gold": 5, "repeats": 5}


class Rule(Section):
    """What is done about a person whose measure lies below or above a level."""

    measure: MEASURE = Field(description=f"{', '.join(get_args(MEASURE))}.")
    below: Level | None = setting(None, "Acts when the measure is below this.")
    above: Level | None = setting(None, "Acts when the measure is above this.")
    after: Some | None = setting(
        None,
        "So many of the answers that it measures are needed before it is judged: gold answers of a "
        "gold rule, repeats of repeats. Default: 5 of those two, else 20.",
    )
    action: Literal["flag", "hold", "stop", "exclude"] = setting(
        "flag", "What to do. hold: no completion code, until you have looked."
    )

    @model_validator(mode="after")
    def _one_level(self) -> "Rule":
        if (self.below is None) == (self.above is None):
            raise ValueError("a rule needs one level: give below or above")
        if self.measure == "by_program" and self.action != "flag":
            raise ValueError('by_program is no proof: give action = "flag", and look yourself')
        if self.measure == "likelihood" and self.action != "flag":
            raise ValueError(
                "likelihood is low of people who see otherwise than others, too: give "
                'action = "flag", and look yourself'
            )
        return self

    @property
    def needed(self) -> int:
        """Count the answers that are needed before a person is judged."""
        return AFTER.get(self.measure, 20) if self.after is None else self.after


HELD = Rule(measure="answered", below=0.5, action="hold")  # the rule of studies that name none


class Quality(Section):
    """Attention checks, and what happens to people who fail them."""

    fast_ms: Count = setting(300, "Answers quicker than this count as fast.")
    gold_from_agreement: Share = setting(
        0.0, "Questions on which this share agrees become gold; 0: none."
    )
    hand: bool = setting(
        False, "Whether it is kept, in a few numbers, how answers are entered; people are told."
    )
    rules: list[Rule] = setting([HELD], "What to do about whom.")

    @model_validator(mode="after")
    def _has_what_rules_measure(self) -> "Quality":
        if 0.0 < self.gold_from_agreement <= 0.5:
            raise ValueError("gold_from_agreement needs a majority: give 0.9, or 0 for none")
        if not self.hand and any(rule.measure == "by_program" for rule in self.rules):
            raise ValueError("a rule of by_program needs hand = true, which people are told of")
        return self

    @property
    def least_answered(self) -> float:
        """The share of questions to be answered for the completion code; 0 where there is none."""
        shares = [
            rule.below or 0.0
            for rule in self.rules
            if rule.measure == "answered" and rule.action == "hold"
        ]
        return max(shares, default=0.0)

    def judged_by(self, asked: int) -> list[Rule]:
        """Return the rules for people who are asked so many questions.

        The number of answers that a rule needs by default is lowered to the number asked.
        """
        return [
            rule.model_copy(update={"after": max(1, asked)})
            if rule.measure == "answered" and rule.after is None and asked < rule.needed
            else rule
            for rule in self.rules
        ]
