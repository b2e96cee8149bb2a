"""In front of an ASGI application (ASGI 3): FastAPI, Starlette, Django's own and their like."""

import asyncio

from .answers import Answer
from .demand import check_acr
from .prefixes import is_below, plain_prefixes
from .request import Request
from .site import Site
from .user import User

#: Where an application finds the user of a guarded page: `scope["drawbridge.user"]`.
USER = "drawbridge.user"
_FIND = "drawbridge.find_user"


async def user(scope) -> User | None:
    """The user of any page behind a `Guard`, or None. Outside its `prefixes` nobody is asked before this is."""
    if USER not in scope:
        scope[USER] = await asyncio.to_thread(scope[_FIND])
    return scope[USER]


class Guard:
    """Every page below `prefixes` takes a sign-in, web sockets included; elsewhere `await user(scope)` finds out who it is.

    `prefixes` are compared as text: `/account` has `/accounts` too, `/account/` has not.
    """

    def __init__(self, application, site: Site, prefixes: tuple = ("/",), acr: tuple = (), max_age: int | None = None):
        check_acr(acr)
        self.application, self.site, self.prefixes = application, site, plain_prefixes(prefixes)
        self.acr, self.max_age = acr, max_age

    async def __call__(self, scope, receive, send):
        if scope["type"] not in ("http", "websocket"):
            return await self.application(scope, receive, send)
        request = request_of(scope)
        # `path` has `root_path` in it today, and had not with older servers; `prefixes` may be meant with it or without.
        root, path = scope.get("root_path", ""), scope["path"]
        # Django takes this field for a user, earlier versions of it with an underscore too; it is never a visitor's.
        headers = [pair for pair in scope["headers"] if bytes(pair[0]).lower().replace(b"_", b"-") != b"remote-user"]
        scope = {**scope, "headers": headers, _FIND: lambda: self.site.user(request)}
        # Whom a guard around this one found stays; no header can write `drawbridge.user`.
        if not isinstance(scope.get(USER), User):
            scope.pop(USER, None)
        if not is_below(self.prefixes, path, path.removeprefix(root), root + path):
            return await self.application(scope, receive, send)
        # Asking Drawbridge takes a while, and must not hold other visitors up.
        found = await asyncio.to_thread(self.site.guard, request, self.acr, self.max_age)
        if not isinstance(found, Answer):
            return await self.application({**scope, USER: found}, receive, send)
        answer = scope["type"]
        if answer == "websocket":
            if "websocket.http.response" not in (scope.get("extensions") or {}):
                return await send({"type": "websocket.close", "code": 1008})
            answer = "websocket.http"
        headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in found.headers]
        headers.append((b"content-length", str(len(found.body)).encode()))
        await send({"type": f"{answer}.response.start", "status": found.status, "headers": headers})
        await send({"type": f"{answer}.response.body", "body": b"" if request.method == "HEAD" else found.body})


def request_of(scope) -> Request:
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
    raw = scope.get("raw_path") or scope["path"].encode()
    target = raw.decode("latin-1") + ("?" + scope["query_string"].decode("latin-1") if scope.get("query_string") else "")
    client = scope.get("client")
    # No connection has the port 0: servers that take the address from X-Forwarded-For write it, since that has none.
    return Request(scope.get("method", "GET"), target, headers, client[0] if client else "", bool(client) and client[1] == 0)
