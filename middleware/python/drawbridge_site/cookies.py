"""Drawbridge's cookies: those that it is asked by, and those that came twice."""

import re
from urllib.parse import urlsplit

from .jws import Refused
from .request import Request, is_return_target
from .settings import Settings
from .user import User

SESSION_COOKIE = "__Host-drawbridge_session"
#: How many bytes of Set-Cookie take cookies away that came twice, and how long their paths may be: an answer's header
#: fields have to fit a proxy's buffer, which is 4096 bytes by nginx's default.
_MOST_TAKING, _LONGEST_PATH = 2048, 100
#: To a browser a cookie with it is another one than that without, of the same name, domain and path.
_PARTITIONED = "; Partitioned"


def session_cookie(request: Request) -> str | None:
    """That of a sign-in on Drawbridge's own page, as a field."""
    secrets = request.cookies(SESSION_COOKIE)
    return f"{SESSION_COOKIE}={secrets[0]}" if len(secrets) == 1 and _is_cookie(secrets[0]) else None


def own_cookies(request: Request, settings: Settings, user: User | None = None) -> str:
    """Drawbridge's own cookies of the request, as one field; for a user whom it is about, those that say so.

    Two of a name count as none (contract §6): a website beside ours can plant a token, and must not keep the session's
    cookie from being heard."""
    found = {name: request.cookies(name) for name in (SESSION_COOKIE, settings.cookie)}
    if settings.source == "cookie" and user is not None and user.session is None:
        del found[settings.cookie]
    cookies = [f"{name}={values[0]}" for name, values in found.items() if len(values) == 1 and _is_cookie(values[0])]
    if not cookies and any(len(values) > 1 for values in found.values()):
        raise Refused("repeated")
    return "; ".join(cookies)


def taken_cookies(request: Request, settings: Settings) -> list:
    """Takes cookies away that came twice, from wherever they can have been set: a sign-in adds one, and would lead back
    here for ever."""
    if settings.source == "proxy":
        return []
    host = urlsplit(settings.origin).hostname
    places = [f"Path={path}{domain and f'; Domain={domain}'}"
              for path in _cookie_paths(request.target) for domain in ("", *_cookie_domains(host))]
    lines, room = [], _MOST_TAKING
    for name in (SESSION_COOKIE, settings.cookie):
        if len(request.cookies(name)) < 2:
            continue
        # Browsers refuse every other line about a name of this kind.
        for place in ["Path=/"] if name.startswith("__Host-") else places:
            line = f"{name}=; Max-Age=0; {place}; Secure; HttpOnly"
            room -= 2 * len(line) + len(_PARTITIONED)
            if room < 0:
                return lines
            lines += [line, line + _PARTITIONED]
    return lines


def _is_cookie(value: str) -> bool:
    """Whether Drawbridge can have set it (RFC 6265 §4.1.1). Nothing else is sent on: a question that fails by what one
    visitor sends would count as an outage for all."""
    return re.fullmatch(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,8192}", value) is not None


def _cookie_paths(target: str) -> list:
    """The paths of cookies that a browser sends to this target (RFC 6265 §5.1.4), the shortest first."""
    paths = ["/"]
    if not is_return_target(target):
        return paths
    path = target.partition("?")[0]
    # Both /a and /a/ are paths of cookies that /a/b gets.
    for end in [end for at, mark in enumerate(path) if at and mark == "/" for end in (at, at + 1)] + [len(path)]:
        if end > _LONGEST_PATH or ";" in path[:end]:
            break
        if path[:end] not in paths:
            paths.append(path[:end])
    return paths


def _cookie_domains(host: str) -> list:
    """Those for which a website beside this one can set a cookie that comes here."""
    labels = host.split(".")
    return [] if labels[-1].isdigit() else [".".join(labels[at:]) for at in range(len(labels) - 1)]
