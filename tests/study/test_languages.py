"""Languages: each is whole, says what the others say, and no sentence of another."""

import re

import pytest

from resemblance.study.kinds import KINDS
from resemblance.study.languages import DEFAULT, LANGUAGES, chosen, find_language

ENGLISH = find_language(DEFAULT)
OTHERS = [code for code in LANGUAGES if code != DEFAULT]
SAME = {"fr": {"practice.over.title"}}  # what is so in English, too


def forms(told):
    return list(told.values()) if isinstance(told, dict) else [told]


def places(text):
    return set(re.findall(r"\{\w+\}", text))


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_is_whole(code):
    language = find_language(code)
    assert language.strings.keys() == ENGLISH.strings.keys()
    for name, english in ENGLISH.strings.items():
        wanted = places(forms(english)[-1])
        assert all(one.strip() and places(one) == wanted for one in forms(language.strings[name]))
        assert isinstance(language.strings[name], dict) == isinstance(english, dict), name
    assert language.kinds.keys() == KINDS.keys()
    for kind, words in ENGLISH.kinds.items():
        assert language.kinds[kind].keys() == words.keys(), kind
    assert language.pages.keys() == ENGLISH.pages.keys()
    assert language.placeholder in language.pages["consent"]
    assert "{duration}" in language.pages["consent"]
