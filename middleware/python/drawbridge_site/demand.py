"""What a page demands beyond a sign-in."""

from dataclasses import dataclass
from urllib.parse import quote

from . import fields
from .answers import Answer, redirect, refusal
from .cookies import own_cookies
from .outage import Unavailable
from .questions import Questions
from .request import Request, is_page, is_return_target
from .settings import ConfigurationError, Settings
from .user import User

#: Signing out is Drawbridge's own page: a form of the same origin ends the session and takes its cookies away.
SIGN_OUT_FORM = '<form method="post" action="/session/logout"><button>Sign out</button></form>'
_SIGN_OUT = "/session/logout"


@dataclass(frozen=True)
class Demand:
    """`acr` are the values that will do, `max_age` is in seconds since the sign-in."""

    acr: tuple
    max_age: int | None

    def is_met(self, user: User, now: float) -> bool:
        if self.acr and not is_strong_enough(user.acr, self.acr):
            return False
        if self.max_age is None:
            return True
        return user.auth_time is not None and now - user.auth_time <= self.max_age

    @property
    def challenge(self) -> str:
        text = 'Bearer error="insufficient_user_authentication"'
        if self.acr:
            text += f', acr_values="{" ".join(self.acr)}"'
        return text if self.max_age is None else text + f', max_age="{self.max_age}"'

    @property
    def query(self) -> str:
        said = {"acr": " ".join(self.acr)} if self.acr else {}
        if self.max_age is not None:
            said["max_age"] = str(self.max_age)
        return "&".join(f"{name}={quote(value, safe='')}" for name, value in said.items())


def step_up(request: Request, user: User, demand: Demand, settings: Settings, questions: Questions) -> User | Answer:
    """Drawbridge knows the way to a stronger sign-in and back; it also knows of one that our token is older than."""
    refused = refusal(demand.challenge, "insufficient_user_authentication")
    # Cookies are not the proxy's word: two of a name change nothing.
    if settings.source == "proxy":
        return refused
    cookie = own_cookies(request, settings, user)
    if not cookie:
        return refused
    query, headers = demand.query, {"Cookie": cookie}
    if is_page(request):
        query += "&redirect=" + (quote(request.target, safe="") if is_return_target(request.target) else "")
        headers |= {"Accept": "text/html", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    status, pairs, _ = questions.ask("/auth/check?" + query, headers)
    if status == 200:
        if fields.said_of_check(pairs)[1] == user.subject:
            return user
        # Token and session are two users'. Whose page it would be nobody can say, and signing out ends both.
        return redirect(_SIGN_OUT) if is_page(request) else refused
    if status == 302 and Request("GET", "/", pairs).values("location"):
        passed = [(name, value) for name, value in pairs if name.lower() in ("location", "set-cookie")]
        return Answer(303, [*passed, ("Cache-Control", "no-store")])
    if status in (401, 403):
        return refused
    raise Unavailable(f"/auth/check answers {status}")


def check_acr(acr):
    """`in` would find a user's value within a longer text."""
    if isinstance(acr, str):
        raise ConfigurationError(f"acr must hold the values that will do, such as ({acr!r},)")


def is_strong_enough(acr: str | None, wanted) -> bool:
    """As Drawbridge itself judges (contract §6): two factors are one as well, and any other value is only itself."""
    return acr in wanted or acr == "aal2" and "aal1" in wanted
