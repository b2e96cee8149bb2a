"""The judge of stories: it finds what was planted in them, and lets pass what is right."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "History"))

from lineage import FOREIGN, USER, Act, Made, flaws, unrecorded

SIGN_IN = {"sub": "u", "acr": "aal1", "amr": ("pwd",), "auth_time": 100}


def act(kind, began, *shows, answer="done", node=0, made=(), says=None, ended=None, clause="") -> Act:
    return Act("story", kind, node, began, began + 0.1 if ended is None else ended, answer, shows, tuple(made), says or {},
               clause)


def app(name="app", code="code", scope="openid profile device_sso", **more) -> tuple:
    """What an app gets for a code: a session, and a device with its secret."""
    return (Made("device", "device", (USER,)), Made("secret", "secret", ("device",)),
            Made(name, "app", (code, "device"), (code,), {**SIGN_IN, "sid": name, "scope": set(scope.split()), **more}),
            Made("access", "access", (name,)), Made("refresh", "refresh", (name,)))


#: Somebody signs in, and an app is granted what goes on after the browser's sign-out.
BEGIN = [
    act("sign in", 0, USER, made=[Made("browser", "web", (USER,))]),
    act("authorize", 1, "browser", made=[Made("code", "code", ("browser",))]),
    act("redeem code", 2, "code", made=app()),
]
EXCHANGE = act("exchange", 3, "app", "secret", made=[
    Made("second", "app", ("app", "device"), (), {**SIGN_IN, "sid": "second", "scope": {"openid"}}),
    Made("second access", "access", ("second",))])
LINK = [act("issue", 3, "access", made=[Made("link", "link", ("app",))]),
        act("redeem link", 4, "link", made=[Made("web", "web", ("link",))], says={"jti": "1"})]
ROTATED = act("refresh", 3, "refresh", made=[Made("refresh 2", "refresh", ("app",))])
REPLACED = act("refresh", 3, "refresh", "secret", made=[
    Made("refresh 2", "refresh", ("app",)), Made("secret 2", "secret", ("device",))])

TRIP = act("set out", 3, made=[Made("trip", "trip", ())])


def come_back(began, *, made="web", before=(), word="word", **more) -> Act:
    """A browser brings a provider's answer, and what that opens takes the place of what was there `before`."""
    web = [Made(made, "web", (USER,), says={"origin": "authorize"})] if made else []
    return replace(act("come back", began, "trip", word, made=web, **more), replaces=before)


VIEW = [act("view", 3, "access", "secret", made=[Made("view", "web", ("app",)), Made("cookie", "renewal", ("view",))])]
SHOWN = [act("show digits", 3, "access", made=[Made("digits", "digits", ("app",))])]
RENEWED = [*VIEW, act("renew", 4, "cookie", made=[Made("cookie 2", "renewal", ("view",))])]
USED = [*RENEWED, act("renew", 5, "cookie 2", made=[Made("cookie 3", "renewal", ("view",))])]

PLANTED = {
    "a code opens two sessions": [act("redeem code", 3, "code", node=1, made=[Made("other", "app", ("code",))])],
    "a code's second use ends nothing": [
        act("redeem code", 3, "code", answer="refused"), act("check", 5, "access", node=1)],
    "it is alive here after it ended here, another node having been quicker": [
        act("end", 5, "app", node=1), act("end", 5.15, "app"), act("check", 5.3, "access")],
    "a user is, too": [act("end", 5, USER, node=1), act("end", 5.15, USER), act("check", 5.3, "access")],
    "a link opens two sessions": [
        *LINK, act("redeem link", 5, "link", node=1, made=[Made("web 2", "web", ("link",))])],
    "a link's replay ends nothing": [
        *LINK, act("redeem link", 5, "link", answer="refused"), act("check", 7, "web", node=1)],
    "digits open two sessions": [
        act("confirm", 3, "page", made=[Made("web", "web", ("app",))]),
        act("confirm", 4, "page", made=[Made("web 2", "web", ("app",))])],
    "digits beside a user name open two sessions": [
        *SHOWN, act("type digits", 4, "digits", made=[Made("web", "web", ("app",))]),
        act("type digits", 5, "digits", node=1, made=[Made("web 2", "web", ("app",))])],
    "digits sign in that others took the place of": [
        *SHOWN, act("show digits", 4, "access", made=[Made("digits 2", "digits", ("app",))]),
        act("type digits", 5, "digits", made=[Made("web", "web", ("app",))])],
    "digits sign in after the session of their phone": [
        *SHOWN, act("end", 4, "app"), act("type digits", 5, "digits", made=[Made("web", "web", ("app",))])],
    "a phone's session is refused digits": [act("show digits", 3, "access", answer="refused")],
    "a phone's answer opens two sessions": [
        act("answer", 3, "asked", "key", made=[Made("web", "web", (USER, "key"))]),
        act("answer", 4, "asked", "key", node=1, made=[Made("web 2", "web", (USER, "key"))])],
    "a disabled user signs in with a phone's key": [
        act("end", 3, USER), act("answer", 4, "asked", "key", USER, made=[Made("web", "web", (USER, "key"))])],
    "a phone's key signs in after it was unlinked": [
        act("end", 3, "key"), act("answer", 4, "asked", "key", made=[Made("web", "web", (USER, "key"))])],
    "what a phone's key signed in outlives it": [
        act("answer", 3, "asked", "key", made=[Made("web", "web", (USER, "key"))]), act("end", 4, "key"),
        act("check", 6, "web", node=1)],
    "a refresh token has two successors": [
        ROTATED, act("refresh", 4, "refresh", made=[Made("refresh 3", "refresh", ("app",))])],
    "a refresh token is good after its successor was used": [
        ROTATED, act("refresh", 4, "refresh 2", made=[Made("refresh 3", "refresh", ("app",))]),
        act("refresh", 5, "refresh", made=[Made("refresh 2", "refresh", ("app",))])],
    "a refresh token is good long after it was rotated": [
        ROTATED, act("refresh", 20, "refresh", made=[Made("refresh 2", "refresh", ("app",))])],
    "a lost answer is not given again": [ROTATED, act("refresh", 4, "refresh", answer="refused")],
    "a theft is refused and its session goes on": [
        ROTATED, act("refresh", 4, "refresh 2", made=[Made("refresh 3", "refresh", ("app",))]),
        act("refresh", 5, "refresh", answer="refused"), act("check", 7, "access", node=1)],
    "a refresh cookie is good after its successor was used": [
        *USED, act("renew", 6, "cookie", made=[Made("cookie 4", "renewal", ("view",))])],
    "a stolen refresh cookie is refused and its session goes on": [
        *USED, act("renew", 6, "cookie", answer="refused"), act("check", 8, "view", node=1)],
    "a refresh cookie is refused that nobody used": [*VIEW, act("renew", 4, "cookie", answer="refused")],
    "a refresh cookie whose answer got lost is refused": [*RENEWED, act("renew", 5, "cookie", answer="refused")],
    "a refresh cookie outlives its session": [
        *VIEW, act("end", 5, "app"), act("renew", 7, "cookie", made=[Made("cookie 2", "renewal", ("view",))])],
    "a device secret works twice after it was replaced": [
        REPLACED, act("exchange", 4, "app", "secret"), act("exchange", 5, "app", "secret")],
    "an app whose session ended in the middle is given a secret that replaces none": [
        EXCHANGE, replace(REPLACED, began=4, ended=5), act("end", 4.5, "app"),
        *(act("view", began, "other access", "secret") for began in (6, 7))],
    "a device secret's replay ends nothing": [
        REPLACED, act("exchange", 4, "app", "secret"), act("exchange", 5, "app", "secret", answer="refused"),
        act("check", 7, "access", node=1)],
    "an end stops at what is directly below": [
        EXCHANGE, act("end", 5, "app"), act("check", 7, "second access", node=1)],
    "a device ends without its sessions": [act("end", 5, "device"), act("check", 7, "access", node=1)],
    "a user ends without the browser": [act("end", 5, USER), act("check", 7, "browser", node=1)],
    "a node believes for longer than a second": [act("end", 5, "app"), act("check", 6.2, "access", node=1)],
    "a node does not know its own end": [act("end", 5, "app"), act("check", 5.2, "access")],
    "a refresh token outlives its session": [
        act("end", 5, "app"), act("refresh", 5.2, "refresh", node=1, made=[Made("refresh 2", "refresh", ("app",))])],
    "a link opens after its app's end": [
        LINK[0], act("end", 5, "app"), replace(LINK[1], began=5.2, ended=5.3, node=1)],
    "a link of another issuer opens after its user's end": [
        act("issue", 3, FOREIGN, made=[Made("link", "link", (USER,))]), act("end", 5, USER),
        replace(LINK[1], began=7, ended=8)],
    "signing out ends what was granted for longer": [
        act("sign out", 5, "browser"), act("check", 7, "access", answer="refused")],
    "an end takes another branch": [EXCHANGE, act("end", 5, "second"), act("check", 7, "access", answer="refused")],
    "something is gone that nobody ended": [act("check", 7, "access", answer="refused")],
    "a first use is refused": [LINK[0], act("redeem link", 4, "link", answer="refused")],
    "what was over comes back": [
        act("end", 5, "app", answer=None), act("check", 6, "access", answer="refused"), act("check", 8, "access", node=1)],
    "the user changes along an edge": [replace(EXCHANGE, made=(replace(
        EXCHANGE.made[0], says={**EXCHANGE.made[0].says, "sub": "v"}),))],
    "a second factor appears along an edge": [
        *LINK, act("check", 5, "web", says={**SIGN_IN, "amr": ("pwd", "otp")})],
    "the scope grows along an edge": [replace(EXCHANGE, made=(replace(
        EXCHANGE.made[0], says={**SIGN_IN, "sid": "second", "scope": {"openid", "email"}}),))],
    "a child ends after its parent": [
        act("check", 3, "browser", says={"until": 1000}),
        act("hand off", 4, "browser", made=[Made("link", "link", ("browser",))]),
        act("land", 5, "link", made=[Made("web", "web", ("link",))]), act("check", 6, "web", says={"until": 1001})],
    "a provider's answer opens two sessions": [TRIP, come_back(4), come_back(5, made="web 2", node=1)],
    "a provider's answer is refused to the browser that asked": [TRIP, come_back(4, made="", answer="refused")],
    "a provider's answer that another browser brought is used up": [
        TRIP, act("trespass", 4, "trip", "browser", answer="refused"), come_back(5, made="", answer="refused")],
    "who is disabled comes back from a provider": [TRIP, act("end", 4, USER, "word"), come_back(5, node=1)],
    "what came of a provider's answer outlives its user's end": [
        TRIP, come_back(4), act("end", 5, USER), act("check", 7, "web", node=1)],
    "a session goes on in whose place another came": [
        TRIP, come_back(4, before=("browser",)), act("check", 6, "browser", node=1)],
    "a session is gone, and nothing came in its place": [
        TRIP, come_back(4), come_back(5, made="", before=("browser",), answer="refused"),
        act("check", 7, "browser", answer="refused")],
    "a provider's user is another one the next time": [
        TRIP, come_back(4), act("check", 5, "browser", says={"sub": "u"}), act("check", 5, "web", says={"sub": "v"})],
    "a sign-in at a provider is called a hand-off": [
        TRIP, come_back(4), act("check", 5, "web", says={"origin": "hand_off"})],
    "a sign-in's methods change": [
        act("check", 3, "browser", says={"amr": ("pwd",)}), act("check", 4, "browser", says={"amr": ("pwd", "otp")})],
    "somebody does what nobody may": [act("trespass", 3, "refresh", clause="§5.2")],
}

RIGHT = {
    "nothing more": [],
    "news take a moment": [act("end", 5, "app"), act("check", 5.9, "access", node=1)],
    "something above ended elsewhere before this ended here": [
        act("end", 5, "browser", node=1), act("end", 5.15, "app"), act("check", 5.3, "access", answer="refused")],
    "what came of it ended elsewhere before it ended here": [
        EXCHANGE, act("end", 5, "second", node=1), act("end", 5.15, "app"), act("check", 5.3, "second access")],
    "an end that was not heard may have been one": [
        act("end", 5, "app", answer=None, ended=35), act("check", 7, "access", answer="refused", node=1)],
    "an end that was not heard may have been none": [
        act("end", 5, "app", answer=None, ended=35), act("check", 7, "access", node=1)],
    "an app goes on when its browser signs out": [act("sign out", 5, "browser"), act("check", 7, "access")],
    "a lost answer is given again": [
        ROTATED, act("refresh", 4, "refresh", made=[Made("refresh 2", "refresh", ("app",))])],
    "a theft ends the session": [
        ROTATED, act("refresh", 4, "refresh 2", made=[Made("refresh 3", "refresh", ("app",))]),
        act("refresh", 5, "refresh", answer="refused"), act("check", 7, "access", answer="refused")],
    "a lost answer with cookies is asked for again": [
        *RENEWED, act("renew", 5, "cookie", node=1, made=[Made("cookie 4", "renewal", ("view",))])],
    "of digits that were shown at the same time either may be the newer": [
        *SHOWN, act("show digits", 3.05, "access", node=1, made=[Made("digits 2", "digits", ("app",))]),
        act("type digits", 4, "digits", made=[Made("web", "web", ("app",))])],
    "digits may be wrong": [*SHOWN, act("type digits", 4, "digits", answer="refused")],
    "a stolen refresh cookie ends its session": [
        *USED, act("renew", 6, "cookie", answer="refused"), act("check", 8, "view", answer="refused"),
        act("check", 8, "access")],
    "of two answers with cookies one was used": [
        *RENEWED, act("renew", 4.05, "cookie", node=1, made=[Made("cookie 4", "renewal", ("view",))]),
        act("renew", 5, "cookie 4", made=[Made("cookie 5", "renewal", ("view",))]),
        act("renew", 6, "cookie 2", answer="refused"), act("check", 8, "view", answer="refused")],
    "a device secret that was replaced works once more": [REPLACED, act("exchange", 4, "app", "secret")],
    "its replay ends the device": [
        REPLACED, act("exchange", 4, "app", "secret"), act("exchange", 5, "app", "secret", answer="refused"),
        act("check", 7, "access", answer="refused")],
    "a thief who has the wrong ID token as well ends the device all the same": [
        REPLACED, act("exchange", 4, "app", "secret"), act("trespass", 5, "other app", "secret", answer="refused"),
        act("check", 7, "access", answer="refused")],
    "a replay ends what the link opened": [
        *LINK, act("redeem link", 5, "link", answer="refused"), act("check", 7, "web", answer="refused"),
        act("check", 7, "access")],
    "another issuer's word counts after its user's end": [
        act("end", 5, USER), act("issue", 6, FOREIGN, made=[Made("link", "link", (USER,))]),
        replace(LINK[1], began=7, ended=8)],
    "a provider's answer is brought twice": [
        TRIP, come_back(4), come_back(4.05, made="", answer="refused", node=1), act("check", 6, "web")],
    "a provider's answer that was brought before may be used up": [
        TRIP, come_back(4, made="", answer=None, ended=34), come_back(5, made="", answer="refused")],
    "another browser brings a provider's answer for nothing": [
        TRIP, act("trespass", 4, "trip", "browser", answer="refused"), come_back(5)],
    "who is being disabled may be refused": [
        TRIP, act("end", 4, USER, "word", answer=None, ended=34), come_back(5, made="", answer="refused")],
    "users who are enabled again come back, from where they had set out before": [
        TRIP, act("end", 4, USER, "word"), come_back(5, word="word 2"), act("check", 7, "web", node=1)],
    "the user's end is none of the provider's word": [TRIP, act("end", 4, USER), come_back(5), act("check", 7, "web")],
    "news of a session in whose place another came take a moment": [
        TRIP, come_back(4, before=("browser",)), act("check", 4.9, "browser", node=1),
        act("check", 6, "browser", answer="refused", node=1)],
    "nobody heard whether another came in its place": [
        TRIP, come_back(4, made="", before=("browser",), answer=None, ended=34), act("check", 6, "browser"),
        act("check", 7, "browser", answer="refused", node=1)],
    "a link that waited too long is refused": [LINK[0], act("redeem link", 70, "link", answer="refused")],
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_story_is_found(name):
    assert flaws([*BEGIN, *PLANTED[name]]), name


@pytest.mark.parametrize("name", RIGHT)
def test_a_story_that_is_right_passes(name):
    assert not flaws([*BEGIN, *RIGHT[name]])


def test_two_clocks_may_disagree_about_ten_seconds():
    late = [*BEGIN, ROTATED, act("refresh", 20, "refresh", made=[Made("refresh 2", "refresh", ("app",))])]
    assert flaws(late) and not flaws(late, skew=20)


def test_what_a_failover_forgot_is_no_flaw_and_a_second_use_is_one():
    gone = [*BEGIN, act("check", 7, "access", answer="refused")]
    assert flaws(gone) and not flaws(gone, may_forget=True)
    assert flaws([*BEGIN, *PLANTED["a link opens two sessions"]], may_forget=True)


def test_what_was_answered_is_in_the_log_once():
    opened = {"type": "app_session.opened", "sid": "app", "token_id": None}
    redeemed = {"type": "login_token.redeemed", "sid": None, "token_id": "1"}
    assert not unrecorded([*BEGIN, *LINK], [opened, redeemed])
    for events in [[opened], [redeemed], [opened, opened, redeemed]]:
        assert unrecorded([*BEGIN, *LINK], events), events
