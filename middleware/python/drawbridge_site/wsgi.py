"""In front of a WSGI application (PEP 3333): Django, Flask and their like."""

from .answers import Answer
from .demand import check_acr
from .prefixes import is_below, plain_prefixes
from .request import Request
from .site import Site
from .user import User

#: Where an application finds the user of a guarded page: `environ["drawbridge.user"]`.
USER = "drawbridge.user"
_FIND = "drawbridge.find_user"


def user(environ) -> User | None:
    """The user of any page behind a `Guard`, or None. Outside its `prefixes` nobody is asked before this is."""
    if USER not in environ:
        environ[USER] = environ[_FIND]()
    return environ[USER]


class Guard:
    """Every page below `prefixes` takes a sign-in; elsewhere `user(environ)` finds out who it is, if anybody.

    `prefixes` are compared as text: `/account` has `/accounts` too, `/account/` has not.

    WSGI joins `X-Auth-Subject` and `X_Auth_Subject` into one. The proxy has to take the second away, as those in
    deploy/ do; a value that two were joined to is refused here.
    """

    def __init__(self, application, site: Site, prefixes: tuple = ("/",), acr: tuple = (), max_age: int | None = None):
        check_acr(acr)
        self.application, self.site, self.prefixes = application, site, plain_prefixes(prefixes)
        self.acr, self.max_age = acr, max_age

    def __call__(self, environ, start_response):
        request = request_of(environ)
        # The path that the application will serve, which is decoded: `/%61ccount` is `/account` there.
        # `prefixes` may be meant below the place where the application is mounted, or with it.
        own = environ.get("PATH_INFO", "")
        paths = own, environ.get("SCRIPT_NAME", "") + own
        # A str of these holds the path's bytes (PEP 3333); applications read them as UTF-8.
        texts = [path.encode("latin-1", "replace").decode("utf-8", "replace") for path in paths]
        # Django's and others' REMOTE_USER is never a visitor's.
        environ.pop("HTTP_REMOTE_USER", None)
        # Whom a guard around this one found stays; no header can write `drawbridge.user`.
        if not isinstance(environ.get(USER), User):
            environ.pop("REMOTE_USER", None)
            environ.pop(USER, None)
        environ[_FIND] = lambda: self.site.user(request)
        if is_below(self.prefixes, *paths, *texts):
            found = self.site.guard(request, self.acr, self.max_age)
            if isinstance(found, Answer):
                return answer(found, start_response, request.method)
            environ[USER], environ["REMOTE_USER"] = found, found.subject
        return self.application(environ, start_response)


def request_of(environ) -> Request:
    # Where Werkzeug's ProxyFix is around this, it leaves here what it replaced: the check was about the Host that came.
    replaced = environ.get("werkzeug.proxy_fix.orig", {})
    headers = [(name[5:].replace("_", "-"), value) for name, value in {**environ, **replaced}.items()
               if name.startswith("HTTP_") and isinstance(value, str)]
    target = environ.get("REQUEST_URI") or environ.get("RAW_URI") or _target(environ)
    peer = environ.get("REMOTE_ADDR", "")
    return Request(environ["REQUEST_METHOD"], target, headers, peer, replaced.get("REMOTE_ADDR", peer) != peer)


def _target(environ) -> str:
    from urllib.parse import quote
    path = quote((environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")).encode("latin-1"), safe="/:@!$&'()*+,;=~")
    return path + ("?" + environ["QUERY_STRING"] if environ.get("QUERY_STRING") else "")


def answer(found: Answer, start_response, method: str = "GET"):
    import http
    phrase = http.HTTPStatus(found.status).phrase
    start_response(f"{found.status} {phrase}", [*found.headers, ("Content-Length", str(len(found.body)))])
    # Servers send what they are given, and after the head of an answer to HEAD it would be read as the next answer.
    return [] if method == "HEAD" else [found.body]
