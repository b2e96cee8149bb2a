"""Who is signed in."""

from dataclasses import dataclass


@dataclass(frozen=True)
class User:
    subject: str
    session: str | None = None
    acr: str | None = None
    amr: tuple = ()
    #: Unix seconds of the sign-in, where the source knows it: not with `proxy`.
    auth_time: int | None = None
    #: Those that the setting `identity` names, as far as Drawbridge says them to this website.
    name: str | None = None
    email: str | None = None
    groups: tuple = ()


@dataclass(frozen=True)
class Identity:
    """A user, or the reason why there is none: `missing` is a visitor, anything else deserves a line in the log."""

    user: User | None
    reason: str | None = None
