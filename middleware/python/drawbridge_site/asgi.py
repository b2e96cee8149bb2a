"""In front of an ASGI application (ASGI 3): FastAPI, Starlette, Django's own and their like."""

import asyncio

from .core import Answer, Request, Site, Unavailable, is_below

#: Where an application finds the user, or None: `scope["drawbridge.user"]`.
USER = "drawbridge.user"


class Guard:
    """Every page below `prefixes` takes a sign-in, web sockets included; elsewhere the user is said when there is one.

    `prefixes` are compared as text: `/account` has `/accounts` too, `/account/` has not.
    """

    def __init__(self, application, site: Site, prefixes: tuple = ("/",), acr: tuple = (), max_age: int | None = None):
        self.application, self.site, self.prefixes = application, site, prefixes
        self.acr, self.max_age = acr, max_age

    async def __call__(self, scope, receive, send):
        if scope["type"] not in ("http", "websocket"):
            return await self.application(scope, receive, send)
        request = request_of(scope)
        # `path` has `root_path` in it today, and had not with older servers; `prefixes` may be meant with it or without.
        root, path = scope.get("root_path", ""), scope["path"]
        # Asking Drawbridge takes a while, and must not hold other visitors up.
        if is_below(self.prefixes, path, path.removeprefix(root), root + path):
            found = await asyncio.to_thread(self.site.guard, request, self.acr, self.max_age)
        else:
            found = await asyncio.to_thread(self._user, request)
        if not isinstance(found, Answer):
            return await self.application({**scope, USER: found}, receive, send)
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1008})
        headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in found.headers]
        headers.append((b"content-length", str(len(found.body)).encode()))
        await send({"type": "http.response.start", "status": found.status, "headers": headers})
        await send({"type": "http.response.body", "body": found.body})

    def _user(self, request: Request):
        try:
            return self.site.identify(request).user
        except Unavailable:
            return None


def request_of(scope) -> Request:
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
    raw = scope.get("raw_path") or scope["path"].encode()
    target = raw.decode("latin-1") + ("?" + scope["query_string"].decode("latin-1") if scope.get("query_string") else "")
    client = scope.get("client")
    return Request(scope.get("method", "GET"), target, headers, client[0] if client else "")
