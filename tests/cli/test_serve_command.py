"""The addresses that `serve` prints."""

import socket
from urllib.parse import urlsplit

import pytest

from resemblance.cli.serve import address_of, local_address


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_the_address_of_a_server_that_listens_everywhere_leads_to_it(host):
    with socket.create_server(("0.0.0.0", 0)) as server:
        port = server.getsockname()[1]
        address = urlsplit(address_of(host, port))
        assert address.port == port
        socket.create_connection((address.hostname, port), timeout=5).close()


def test_without_a_network_the_address_is_of_this_machine(monkeypatch):
    def refuse(*_):
        raise OSError(101, "Network is unreachable")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert local_address() == "127.0.0.1"
