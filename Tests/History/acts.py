"""What a history of sign-ins is written in: acts, what they showed, and what they were given for it (`lineage.py`)."""

from __future__ import annotations

from dataclasses import dataclass, field

#: Seconds within which every node refuses what ended elsewhere (contract §7).
NEWS = 1.0
#: Seconds for which a rotated refresh token gives its successor again (contract §5.2).
GRACE = 10.0
#: No judgement of what is as old as codes and links become (contract §2, §5.1), less what a slow machine takes.
SAFE_AGE = 40.0
FOREVER = float("inf")

#: What every other thing of a story hangs under, and the user at another issuer, whose word goes on to count after an end.
USER, FOREIGN = "user", "user of another issuer"


@dataclass(frozen=True)
class Made:
    """Something that an answer handed out: a session, or what opens, renews or shows one."""

    name: str
    #: web, renewal (a web view's refresh cookie), app, device, secret, refresh, access, code, link, page, digits, trip
    kind: str
    #: What it ends with.
    under: tuple[str, ...]
    #: Those of `under` whose signing out leaves it alone (contract §7).
    outlives: tuple[str, ...] = ()
    #: What it says of the sign-in that it came from.
    says: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Act:
    """`answer` is done or refused, passed where neither was decided, and None when none came, or a 503 did."""

    story: str
    kind: str
    node: int
    began: float
    ended: float
    answer: str | None
    #: What was presented.
    shows: tuple[str, ...] = ()
    made: tuple[Made, ...] = ()
    #: What the answer said of the first thing that was shown.
    says: dict = field(default_factory=dict)
    #: Of a trespass: the clause.
    clause: str = ""
    #: The browser's session before, which ends when another one takes its place.
    replaces: tuple[str, ...] = ()


#: What works once, the clause that says so, and what a second use does to what the first one opened.
ONCE = {"redeem code": ("§5.1", "ends"), "redeem link": ("§4.2", "ends"), "land": ("§4.6", "ends"),
        "confirm": ("§9", "spares"), "type digits": ("§9", "spares"),
        "answer": ("§10", "spares"), "come back": ("§16.1", "spares"), "poll": ("§5.5", "may end")}
#: What shows something that has to be alive, and changes nothing of it.
USES = {"exchange", "view", "issue", "hand off", "show digits", "check", "rotate"}
#: Of these, what a node may answer from a memory that is a second old (contract §7, §16.11).
REMEMBERED = {"check", "issue", "hand off", "show digits", "view"}
ENDS = {"end", "sign out"}
KINDS = {*ONCE, *USES, *ENDS, "sign in", "set out", "authorize", "refresh", "renew", "trespass"}
