"""Days of a study begin and end where its time zone says, of whatever length they are."""

import os
import subprocess
import sys
import time
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from resemblance.study.sections import Recruitment
from resemblance.study.settings import About, Settings

ZONES = [  # the clock goes forward or back in the night, at midnight itself, or by half an hour
    "Europe/Berlin",
    "America/Havana",
    "Asia/Beirut",
    "Africa/Cairo",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "UTC",
]


def settings(text):
    from tomllib import loads

    told = loads(f"[recruitment]\n{text}")["recruitment"]
    return Settings(study=About(name="ties"), recruitment=Recruitment(**told))


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("close = 2031-05-01", "2031-05-01T00:00:00+00:00"),
        ("close = 2031-05-01\ntime_zone = 'Europe/Berlin'", "2031-04-30T22:00:00+00:00"),
        ("close = 2031-01-01\ntime_zone = 'Europe/Berlin'", "2030-12-31T23:00:00+00:00"),
        ("close = 2031-05-01T12:00:00\ntime_zone = 'Asia/Tokyo'", "2031-05-01T03:00:00+00:00"),
        ("close = 2031-05-01T12:00:00Z\ntime_zone = 'Asia/Tokyo'", "2031-05-01T12:00:00+00:00"),
    ],
)
def test_a_study_closes_by_its_time_zone(text, utc):
    assert settings(text).closes() == datetime.fromisoformat(utc).timestamp()


@pytest.fixture
def servers_zone(monkeypatch):
    monkeypatch.setenv("TZ", "America/Havana")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("name", ZONES)
def test_a_study_closes_with_the_first_moment_of_a_day_wherever_the_server_is(servers_zone, name):
    zone = ZoneInfo(name)
    for number in range(366):
        day = date(2028, 1, 1) + timedelta(number)
        closing = Recruitment(time_zone=name, close=day)
        closes = Settings(study=About(name="ties"), recruitment=closing).closes()
        assert datetime.fromtimestamp(closes, zone).date() == day
        assert datetime.fromtimestamp(closes - 1, zone).date() < day


@pytest.mark.parametrize(
    ("close", "utc"),
    [
        ("2031-03-30T02:30:00", "2031-03-30T01:30:00+00:00"),  # an hour that is left out
        ("2031-03-30T03:30:00", "2031-03-30T01:30:00+00:00"),
        ("2031-10-26T02:30:00", "2031-10-26T00:30:00+00:00"),  # one that comes twice: the first
        ("2031-10-26T02:30:00+01:00", "2031-10-26T01:30:00+00:00"),
    ],
)
def test_a_study_closes_once_where_the_clock_is_changed(servers_zone, close, utc):
    told = settings(f"close = {close}\ntime_zone = 'Europe/Berlin'")
    closes = told.closes()
    assert closes == datetime.fromisoformat(utc).timestamp()


def test_time_zones_are_known_where_the_system_brings_none():
    code = "from resemblance.study.sections import Recruitment as R; R(time_zone='Europe/Berlin')"
    bare = {**os.environ, "PYTHONTZPATH": ""}
    subprocess.run([sys.executable, "-c", code], check=True, env=bare)
