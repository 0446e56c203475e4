"""Who is at the other end of a connection: this machine, or a network that was named."""

from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

from starlette.datastructures import Headers
from starlette.types import Scope

from resemblance.errors import SettingError

Network: TypeAlias = IPv4Network | IPv6Network
# What proxies add: by it a request that was passed on is told from one that comes by itself.
PASSED_ON = (
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
    "true-client-ip",
    "cf-connecting-ip",
)


def networks_of(names: Iterable[str]) -> tuple[Network, ...]:
    """Read networks, or single addresses.

    Raises
    ------
    SettingError
        If one is neither.

    Examples
    --------
    >>> networks_of(["10.1.0.0/16"])
    (IPv4Network('10.1.0.0/16'),)
    """
    networks: list[Network] = []
    for name in names:
        try:
            networks.append(ip_network(name))
        except ValueError as error:
            raise SettingError(f"{error}: give a network, as 10.1.0.0/16, or one address") from None
    return tuple(networks)


def comes_from(scope: Scope, networks: Iterable[Network]) -> bool:
    """Say whether a request comes straight from this machine, or from one of these networks.

    What a proxy passed on does not, whatever its headers say of where it began: anybody can write
    them. Without such a header the address is that of the connection itself.
    """
    headers = Headers(scope=scope)
    if scope["client"] is None or any(name in headers for name in PASSED_ON):
        return False
    try:
        peer = ip_address(scope["client"][0].partition("%")[0])
    except ValueError:  # a socket in the file system
        return False
    if isinstance(peer, IPv6Address) and peer.ipv4_mapped is not None:
        peer = peer.ipv4_mapped
    return peer.is_loopback or any(peer in network for network in networks)


def is_address(host: str) -> bool:
    """Say whether a host is named by its number: no other site can bend such a name to here.

    Examples
    --------
    >>> is_address("10.0.0.5"), is_address("[::1]"), is_address("evil.example")
    (True, True, False)
    """
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
