"""Translation of a study's own texts into another language."""

from typing import Any

from pydantic import model_validator

from resemblance.study.sections import Section, setting


class Words(Section):
    """What a condition says in a further language; a text alone is its question."""

    wording: str | None = setting(None, "The question.")
    own: dict[str, Any] = setting({}, "Words of the kind's own table, such as low and high.")

    @model_validator(mode="before")
    @classmethod
    def _question(cls, words: Any) -> Any:
        return {"wording": words} if isinstance(words, str) else words


class Translation(Section):
    """The study in a further language; its pages are files such as pages/consent.de.md."""

    title: str | None = setting(None, "The title.")
    wording: str | None = setting(None, "The question.")
    conditions: dict[str, Words] = setting(
        {}, "Of each condition the question, or {wording = ..., own = {low = ...}}."
    )
    own: dict[str, Any] = setting({}, "Words of the kind's own table, such as low and high.")
