"""What is asked of this website, and by whom: a person who looks, or a script."""

import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Request:
    """What is asked of a request. `headers` are pairs, as they came; `peer` is the connection's other end.

    What is printed of it leaves the header fields out: they hold cookies and the proxy's secret."""

    method: str
    #: Path and query as they came, not decoded.
    target: str
    headers: list = field(repr=False)
    peer: str = ""
    #: Whether the server has put an address there that the request itself says, such as that of X-Forwarded-For.
    peer_is_claimed: bool = False

    def values(self, name: str) -> list:
        return [value for key, value in self.headers if key.lower() == name]

    def cookies(self, name: str) -> list:
        pairs = [pair.strip(" \t").partition("=") for line in self.values("cookie") for pair in line.split(";")]
        # One without a name comes as its value alone, which may be any text (RFC 6265bis).
        return [value for key, mark, value in pairs if mark and key == name]


def is_page(request: Request) -> bool:
    """Whether somebody looks: a script has no use for a sign-in page."""
    return request.method in ("GET", "HEAD") and _is_navigation(request)


def is_form(request: Request) -> bool:
    """Whether somebody sends a form, and looks at what comes back."""
    return request.method == "POST" and _is_navigation(request)


def _is_navigation(request: Request) -> bool:
    mode, destination = request.values("sec-fetch-mode"), request.values("sec-fetch-dest")
    if mode or destination:
        return mode == ["navigate"] and destination == ["document"]
    return any("text/html" in value.lower() for value in request.values("accept"))


def is_return_target(target: str) -> bool:
    """A path of this website; not `//elsewhere` nor `/\\elsewhere`, which browsers read as another host."""
    return re.fullmatch(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,2047}", target) is not None
