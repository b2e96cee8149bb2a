"""Who is signed in, what a page demands, and what Drawbridge tells a website's server."""

import contextlib
import time
from dataclasses import replace
from urllib.parse import quote

from . import fields, proxy
from .answers import Answer, away, redirect, refusal, told, unsent
from .claims import is_text
from .cookies import own_cookies, session_cookie, taken_cookies
from .demand import Demand, check_acr, step_up
from .fetcher import Fetcher
from .jws import Refused
from .keys import Keys
from .memory import Memory
from .notices import logout_claims, webhook_event
from .outage import Unavailable
from .questions import QUESTION_FIELD, Questions
from .request import Request, is_form, is_page, is_return_target
from .settings import ConfigurationError, Settings
from .tokens import Tokens
from .user import Identity, User

#: Seconds: an access token lives at most a day, so what is remembered as ended for longer can come to no use.
_LONGEST_TOKEN = 86400
#: Seconds: a notice is tried for a day, so two days of ids know every repeat.
_NOTICE_MEMORY = 2 * 86400
#: Seconds for which a handler may take; a process that dies over a notice is waited for no longer.
_IN_HAND = 300


class Site:
    """One website. Safe for many threads; keep one for the process."""

    def __init__(self, settings: Settings, now=time.time, fetch=None, ended: Memory | None = None,
                 notices: Memory | None = None):
        """`fetch(path, headers)` asks Drawbridge: status, header pairs, body; it throws `Unavailable`."""
        self.settings = settings
        self.now = now
        self._questions = Questions(settings, fetch or Fetcher(settings), lambda: self.now())
        # Keys remember themselves when they were asked for in vain, and for longer.
        self._tokens = Tokens(settings, Keys(settings, self._questions.ask_at_once, lambda: self.now()))
        #: Several processes share what they are told by giving both a store of their own, which may be empty and so falsy.
        self.ended = Memory() if ended is None else ended
        self.notices = Memory() if notices is None else notices

    # Who is it?

    def identify(self, request: Request) -> Identity:
        """Throws `Unavailable`."""
        if request.values(QUESTION_FIELD.lower()):
            raise Unavailable("this website is asked in place of Drawbridge")
        source = {"proxy": self._from_proxy, "cookie": self._from_cookie, "session": self._from_session}
        try:
            return Identity(source[self.settings.source](request))
        except Refused as refused:
            return Identity(None, refused.reason)

    def user(self, request: Request) -> User | None:
        """For pages that are everybody's: None as well when nobody can say now."""
        try:
            return self.identify(request).user
        except Unavailable:
            return None

    def user_of(self, access_token: str) -> User:
        """The user of an access token of this website. Throws `Refused` and `Unavailable`."""
        user, issued = self._tokens.user(access_token, self.now())
        self._refuse_ended(user.session)
        # Which sessions ended before then is not known any more.
        if issued <= getattr(self.ended, "forgotten", 0) - _LONGEST_TOKEN + self.settings.leeway:
            raise Refused("ended")
        return user

    def _from_proxy(self, request: Request) -> User:
        user = proxy.user_of(request, self.settings)
        self._refuse_ended(user.session)
        return replace(user, **fields.identity(request, self.settings.identity))

    def _from_cookie(self, request: Request) -> User:
        try:
            return self._from_token(request)
        except Refused:
            # A sign-in on Drawbridge's own page sets the other cookie, whatever the profile, and a token that has run out
            # stays beside it (contract §6). It is asked about alone: Drawbridge knows tokens that are not for us.
            if cookie := session_cookie(request):
                with contextlib.suppress(Refused):
                    return self._questions.user(cookie)
            raise

    def _from_token(self, request: Request) -> User:
        tokens = request.cookies(self.settings.cookie)
        if not tokens or tokens == [""]:
            raise Refused("missing")
        # A website beside ours can set a second one for the whole domain.
        if len(tokens) > 1:
            raise Refused("repeated")
        return self.user_of(tokens[0])

    def _from_session(self, request: Request) -> User:
        cookie = own_cookies(request, self.settings)
        if not cookie:
            raise Refused("missing")
        return self._questions.user(cookie)

    def _refuse_ended(self, session: str):
        if self.ended.has(session, self.now()):
            raise Refused("ended")

    # What does a page demand?

    def guard(self, request: Request, acr: tuple = (), max_age: int | None = None) -> User | Answer:
        """The user who may see the page, or the answer for whoever may not.

        `acr` are the values that will do, `max_age` is in seconds since the sign-in."""
        check_acr(acr)
        if max_age is not None and self.settings.source == "proxy":
            raise ConfigurationError("a proxy does not say when somebody signed in: let it ask /auth/check?max_age=")
        demand = Demand(acr, max_age)
        try:
            user = self.identify(request).user
            if user is None:
                return self._sign_in(request)
            if demand.is_met(user, self.now()):
                return user
            return step_up(request, user, demand, self.settings, self._questions)
        except Refused:
            return refusal("Bearer", "invalid_token")
        except Unavailable:
            return away()

    def _sign_in(self, request: Request) -> Answer:
        if not is_page(request) and not is_form(request):
            return refusal("Bearer", "invalid_token")
        location, taken = self.settings.sign_in, [("Set-Cookie", line) for line in taken_cookies(request, self.settings)]
        if is_form(request):
            return unsent(location, *taken)
        if is_return_target(request.target):
            location += "?redirect=" + quote(request.target, safe="")
        return redirect(location, ("Vary", "Cookie"), *taken)

    # What does Drawbridge tell this server?

    def webhook(self, body: bytes, signature: str | None, handle=lambda event: None) -> Answer:
        """A signed notice, docs/webhooks.md: each is handled once; 200 tells Drawbridge that it need not come again.

        Throws `ConfigurationError` without `webhook_secrets`: a 400 would lay the website's own fault to the notice."""
        if not self.settings.webhook_secrets:
            raise ConfigurationError("webhooks need webhook_secrets")
        now = self.now()
        try:
            event = webhook_event(body, signature or "", self.settings, now)
        except Refused as refused:
            return told(400, refused.reason)
        session = event.get("sid") if event["type"].endswith("session.ended") else None
        return self._once(event["id"], now + _NOTICE_MEMORY, session, lambda: handle(event), now)

    def backchannel_logout(self, form: bytes, handle=lambda claims: None) -> Answer:
        """OpenID Connect Back-Channel Logout 1.0, §2.6. `form` is the body of the POST.

        Throws `ConfigurationError` without `issuer` and `client_id`: after a 400 the token would never come again."""
        if not (self.settings.issuer and self.settings.client_id):
            raise ConfigurationError("logout tokens need issuer and client_id")
        now = self.now()
        try:
            claims = logout_claims(form, self.settings, self._tokens, now)
        except Refused as refused:
            # A 4xx settles it; after a 5xx it comes again.
            return told(400 if refused.is_final else 503, refused.reason)
        except Unavailable:
            return away()
        until = claims["exp"] + self.settings.leeway
        return self._once("logout:" + claims["jti"], until, claims["sid"], lambda: handle(claims), now)

    def _once(self, name: str, until: float, session: str | None, handle, now: float) -> Answer:
        """Known is what was handled. While it is in hand a repeat has to come again: the handler may fail yet."""
        if self.notices.has(name, now):
            return told(200, "known")
        if is_text(session) and self.ended.add(session, now + _LONGEST_TOKEN, now) == "full":
            return told(503, "full")
        in_hand = f"in hand {name}"
        # A full store cannot tell a repeat. Handlers have to bear one anyway; not to hear of an end they need not.
        if self.notices.add(in_hand, now + _IN_HAND, now) == "known":
            return told(503, "in_hand")
        try:
            # Handled between the two looks above.
            if self.notices.has(name, now):
                return told(200, "known")
            handle()
            if self.notices.add(name, until, now) == "full":
                # It takes the place of its being in hand.
                self.notices.forget(in_hand)
                self.notices.add(name, until, now)
        finally:
            self.notices.forget(in_hand)
        return told(200, "handled")
