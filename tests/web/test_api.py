"""The API keeps what its OpenAPI promises, whatever is sent."""

from collections import Counter

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import status_code_conformance

EXAMPLES = 12  # requests for each operation


@pytest.fixture
def api(make_study, serve):
    served = serve(make_study(asking={"strategy": "predictive"}, search={"public": True}))
    of_house, of_search = served.shared, served.app.state.limits
    limits = (of_house.entries, of_house.requests, of_house.logins, of_search.requests)
    for limit in (*limits, of_search.kept):
        limit.burst = limit.per_second = 1e9
    person = served.person()
    person.begin()
    person.answer()
    accounts = of_house.accounts
    accounts.accept(accounts.invite(), "a long password")
    session = accounts.session("researcher")
    headers = {**person.headers, "Host": "localhost", "Cookie": f"desk={session}"}
    schema = schemathesis.openapi.from_asgi("/openapi.json", served.app, headers=headers)
    return headers, schema


def test_no_5xx_and_no_unlisted_status(api):
    headers, schema = api
    bounded = settings(
        max_examples=EXAMPLES,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    checks = [not_a_server_error, status_code_conformance]
    statuses, shut = Counter(), set()
    for result in schema.get_all_operations():
        operation = result.ok()

        @bounded
        @given(case=operation.as_strategy())
        def conforms(case):
            if "study" in case.path_parameters:
                case.path_parameters["study"] = "ties"  # another is unknown, whatever is asked
            response = case.call(headers=headers)
            case.validate_response(response, checks=checks)
            statuses[response.status_code] += 1
            if response.status_code == 401 and not case.operation.path.startswith("/api/me"):
                shut.add(case.operation.path)  # there somebody withdraws

        conforms()
    assert statuses.total() > 100
    assert statuses[200] >= 100  # went all the way
    assert not statuses[421]
    assert shut == set()
