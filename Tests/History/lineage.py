"""Decides, from what clients saw alone, whether what came of sign-ins lived, ended and grew as the contract says.

A story is one user's: what is handed out in it hangs under that user and nobody else, so a story is judged by itself.
Its acts overlap, at several nodes, and some have no answer: such an act may have happened at any time after it began,
or never. Unlike the links' histories (`checker.py`), whose order is searched for, these are judged by invariants, each with
the contract's clause: an end concerns a whole tree, and no search over trees of thirty things comes to an end.

Every invariant errs on the service's side: what an unheard act, another node's second (contract §7) or two clocks can
explain is no flaw.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from acts import ENDS, FOREIGN, FOREVER, GRACE, KINDS, NEWS, ONCE, REMEMBERED, SAFE_AGE, USER, USES, Act, Made
from checker import Flaw


@dataclass(frozen=True)
class End:
    """What may have ended, or has: `roots` with all that came of them."""

    act: Act
    roots: tuple[str, ...]
    is_certain: bool


class Story:
    """The acts of one story, and what hangs under what."""

    def __init__(self, acts: list[Act], skew: float = 0):
        self.acts = sorted(acts, key=lambda act: act.began)
        self.skew = skew
        self.made: dict[str, Made] = {}
        self.maker: dict[str, Act] = {}
        self.shown = defaultdict(list)
        for act in self.acts:
            for made in act.made:
                self.made.setdefault(made.name, made)
                self.maker.setdefault(made.name, act)
            for name in act.shows:
                self.shown[name].append(act)
        # Whether a secret was replaced hangs on what may have ended, and what surely ended on whether it was.
        self.ends: list[End] = []
        for _ in range(2):
            self.ends = [end for act in self.acts for end in self._ends_of(act)]

    def above(self, names, sign_out: bool = False, before: float = FOREVER) -> set[str]:
        """What these hang under, themselves included.

        A user is not over after an end: what began with the user `before` that is what hangs under them.
        """
        found, todo = set(), list(names)
        while todo:
            name = todo.pop()
            if name in found:
                continue
            found.add(name)
            if made := self.made.get(name):
                todo += [parent for parent in made.under if not (sign_out and parent in made.outlives)
                         and not (parent == USER and self.maker[name].ended > before)]
            elif name == FOREIGN and before == FOREVER:
                todo.append(USER)
        return found

    def may_end(self, names, end: End) -> bool:
        return not self.above(names, end.act.kind == "sign out").isdisjoint(end.roots)

    def surely_ends(self, names, end: End) -> bool:
        return end.is_certain and not self.above(
            names, end.act.kind == "sign out", before=end.act.began).isdisjoint(end.roots)

    def is_root(self, act: Act, end: End) -> bool:
        """Whether what an act shows, or the session of a token that it shows, is what was ended, or is its user's."""
        if end.act.kind not in ENDS:
            return False
        shown = self.made.get(act.shows[0])
        near = {act.shows[0], *(shown.under if shown and shown.kind == "access" else ())}
        return USER in end.roots or not near.isdisjoint(end.roots)

    def acts_on(self, name: str) -> list[Act]:
        return self.shown.get(name, [])

    def opened_by(self, credential: str) -> tuple[str, ...]:
        return tuple(made.name for act in self.acts_on(credential) for made in act.made)

    def age(self, name: str, act: Act) -> float:
        return act.ended - self.maker[name].began + self.skew if name in self.maker else 0

    def successor(self, act: Act, kind: str) -> str | None:
        return next((made.name for made in act.made if made.kind == kind), None)

    def _ends_of(self, act: Act):
        if act.kind in ENDS and act.answer != "refused":
            yield End(act, act.shows, act.answer == "done")
        if act.replaces and act.answer != "refused":
            yield End(act, act.replaces, act.answer == "done")
        if act.answer not in ("refused", None):
            return
        if act.kind in ONCE and ONCE[act.kind][1] != "spares":
            (credential, *_) = act.shows
            others = [other for other in self.acts_on(credential) if other is not act and other.kind == act.kind]
            if others:
                # One of the two stole it (contract §16.5).
                first = any(other.answer == "done" and other.ended <= act.began for other in others)
                is_certain = (first and act.answer == "refused" and self.age(credential, act) < SAFE_AGE
                              and ONCE[act.kind][1] == "ends")
                yield End(act, self.opened_by(credential), is_certain)
        if act.kind == "refresh":
            (token, *_) = act.shows
            others = [other for other in self.acts_on(token) if other is not act and other.kind == "refresh"]
            if others:
                rotated = any(other.answer == "done" and other.ended <= act.began for other in others)
                yield End(act, self.made[token].under, rotated and act.answer == "refused")
        if act.kind == "renew" and self.may_be_superseded(act):
            yield End(act, self.made[act.shows[0]].under, act.answer == "refused" and self.is_superseded(act))
        for secret in self.secrets(act):
            if self.may_be_replaced(secret, act):
                yield End(act, self.made[secret].under, act.answer == "refused" and self._is_spent(secret, act))

    def secrets(self, act: Act) -> list[str]:
        return [name for name in act.shows if name in self.made and self.made[name].kind == "secret"
                and act.kind in ("exchange", "view", "refresh", "trespass")]

    def may_be_replaced(self, secret: str, act: Act) -> bool:
        """A secret that is shown a second time has others of its line replaced; which of a device's, is not followed."""
        device = self.made[secret].under
        return any(other.kind == "refresh" and other is not act and other.began < act.ended
                   for name in act.shows if name in self.made
                   for sibling, made in self.made.items() if made.kind == "secret" and made.under == device
                   for other in self.acts_on(sibling))

    def is_reuse(self, act: Act) -> bool:
        """Whether a refused refresh can have been a theft: its successor may have been used, or the grace was over."""
        if any(self.may_be_replaced(secret, act) for secret in self.secrets(act)):
            # Not of the token, then, but of the device secret that came with it.
            return True
        others = [other for other in self.acts_on(act.shows[0]) if other is not act and other.kind == "refresh"
                  and other.began < act.ended]
        if not others:
            return False
        if act.ended > min(other.began for other in others) + GRACE - self.skew:
            return True
        successors = {self.successor(other, "refresh") for other in others}
        # The answer that named the successor was not heard, so nobody has used that; a refused one may have ended all.
        return any(other.answer == "refused" for other in others) or any(
            later.began < act.ended for name in successors - {None} for later in self.acts_on(name))

    def renewals(self, *cookies: str) -> list[Act]:
        """Those by what came of these refresh cookies."""
        return [later for cookie in cookies for act in self.acts_on(cookie) if act.kind == "renew"
                for made in act.made if made.kind == "renewal"
                for later in self.acts_on(made.name) if later.kind == "renew"]

    def may_be_superseded(self, act: Act) -> bool:
        """Whether what came of this cookie may have been used, or another one in its place."""
        maker = self.maker[act.shows[0]]
        cookies = [act.shows[0], *(maker.shows[:1] if maker.kind == "renew" else ())]
        return any(other is not act and other.answer != "refused" and other.began < act.ended
                   for other in self.renewals(*cookies) if other.shows != act.shows)

    def is_superseded(self, act: Act) -> bool:
        """Whether what came of this cookie surely was used (contract §6)."""
        return any(later.answer == "done" and later.ended < act.began for later in self.renewals(act.shows[0]))

    def overlaps(self, secret: str) -> list[Act]:
        """Uses that came after the secret surely had a successor."""
        rotations = [act for act in self.acts_on(secret) if act.kind == "refresh" and act.answer == "done"]
        replaced = min((act.ended for act in rotations), default=FOREVER)
        return [act for act in self.acts_on(secret) if act.answer == "done" and act.began > replaced
                and secret in self.secrets(act)]

    def _is_spent(self, secret: str, act: Act) -> bool:
        return act.kind in ("exchange", "view") and any(other.ended < act.began for other in self.overlaps(secret))


def flaws(acts: list[Act], news: float = NEWS, skew: float = 0, may_forget: bool = False) -> list[Flaw]:
    """What is wrong with these stories.

    `news` is how long a node may not have heard of an end elsewhere; `skew` how far the nodes' clocks are apart;
    `may_forget` that the database was put back to an earlier state in the middle, so that what was acknowledged may be
    gone: then nothing may have grown or been used twice all the same.
    """
    stories = defaultdict(list)
    for act in acts:
        if act.kind not in KINDS or act.answer not in ("done", "refused", "passed", None):
            raise ValueError(f"no such act: {act}")
        if act.ended < act.began:
            raise ValueError(f"ended before it began: {act}")
        stories[act.story].append(act)
    found = []
    for name, story in stories.items():
        judged = Story(story, skew)
        rules = [twice, rotated, renewed, replaced, shown_again, grown, changed, trespassed]
        if not may_forget:
            rules += [outlived, lost, came_back]
        for rule in rules:
            found += [Flaw(name, clause, what) for clause, what in rule(judged, news)]
    return found


def twice(story: Story, news: float):
    """What works once opened two."""
    for name, acts in story.shown.items():
        opened = Counter(act.kind for act in acts if act.kind in ONCE and act.answer == "done" and act.shows[0] == name)
        for kind, count in opened.items():
            if count > 1:
                yield ONCE[kind][0], f"{kind}: {name} opened {count} sessions"


def rotated(story: Story, news: float):
    """A refresh token has one successor, and none once that was used (contract §5.2)."""
    for name, acts in story.shown.items():
        done = [act for act in acts if act.kind == "refresh" and act.answer == "done" and act.shows[0] == name]
        successors = {story.successor(act, "refresh") for act in done}
        if len(successors) > 1:
            yield "§5.2", f"{name} has {len(successors)} successors"
        for act in done:
            for successor in successors - {name}:
                used = [other for other in story.acts_on(successor) if other.kind == "refresh" and other.answer == "done"]
                if any(other.ended < act.began for other in used):
                    yield "§5.2", f"{name} was good after its successor was used"
        if done and min(act.ended for act in done) + GRACE + story.skew < max(act.began for act in done):
            yield "§5.2", f"{name} was good more than ten seconds after it was rotated"


def renewed(story: Story, news: float):
    """A refresh cookie is good until what came of it was used (contract §6)."""
    for act in story.acts:
        if act.kind == "renew" and act.answer == "done" and story.is_superseded(act):
            yield "§6", f"{act.shows[0]} was good after its successor was used"


def replaced(story: Story, news: float):
    """A device secret that has a successor works once more (contract §5.4)."""
    for name, made in story.made.items():
        if made.kind == "secret" and len(overlaps := story.overlaps(name)) > 1:
            yield "§5.4", f"{name} worked {len(overlaps)} times after it was replaced"


def shown_again(story: Story, news: float):
    """Of the digits that a user's phones show, the newest alone sign in (contract §9)."""
    shown = [act for act in story.acts if act.kind == "show digits" and act.answer == "done"]
    for act in story.acts:
        if act.kind != "type digits" or act.answer != "done":
            continue
        own = story.maker[act.shows[0]]
        if any(own.ended < newer.began and newer.ended < act.began for newer in shown):
            yield "§9", f"{act.shows[0]} was good after others had been shown"


#: What is handed on and may not become another, may not become more, and may not become later.
SAME = ("sub", "acr", "amr", "auth_time")


def grown(story: Story, news: float):
    """Nothing grows along an edge (contract §16)."""
    says = {name: dict(made.says) for name, made in story.made.items()}
    for act in story.acts:
        if act.says and act.shows and act.answer == "done":
            says.setdefault(act.shows[0], {}).update(act.says)
    for name in story.made:
        here = says[name]
        for parent in story.above([name]) - {name}:
            there = says.get(parent, {})
            for what in SAME:
                if what in here and what in there and here[what] != there[what]:
                    yield "§16", f"{name} says {what} {here[what]!r}, and {parent} above it {there[what]!r}"
            if "scope" in here and "scope" in there and not here["scope"] <= there["scope"] | {"openid"}:
                yield "§16", f"{name} has {sorted(here['scope'] - there['scope'])} more than {parent} above it"
            # What was granted for longer than a browser's sign-in does end later.
            bounds = parent in story.above([name], sign_out=True)
            if bounds and "until" in here and "until" in there and here["until"] > there["until"]:
                yield "§16", f"{name} ends {here['until'] - there['until']:.3f} s after {parent} above it"


def changed(story: Story, news: float):
    """A story is one user's, and what is said of a sign-in stays as it was (contract §1, §16.1)."""
    first: dict[tuple, object] = {}
    told = [(name, made.says) for name, made in story.made.items()]
    told += [(act.shows[0], act.says) for act in story.acts if act.says and act.shows and act.answer == "done"]
    for name, says in told:
        for what in says.keys() & {*SAME, "origin"}:
            known = first.setdefault(("", what) if what == "sub" else (name, what), says[what])
            if known != says[what]:
                yield "§16.1", f"{name} says {what} {says[what]!r}, where {known!r} was said before"


def trespassed(story: Story, news: float):
    for act in story.acts:
        if act.kind == "trespass" and act.answer == "done":
            yield act.clause, f"{' '.join(act.shows)}: nobody may do that"


def lives(act: Act) -> bool:
    """Whether the answer says that all that was shown is alive."""
    return act.answer == "done" and (act.kind in USES or act.kind in ONCE or act.kind in ("refresh", "renew", "authorize"))


def outlived(story: Story, news: float):
    """What ended is refused: at once at that node, within a second elsewhere (contract §7, §16.6)."""
    for end in story.ends:
        for act in story.acts:
            if not lives(act) or act.began <= end.act.ended or not story.surely_ends(act.shows, end):
                continue
            # A node knows its own ends; whose this was is not known where there was another. What it was itself asked to
            # end it does not take for alive, whoever was quicker.
            is_own = act.node == end.act.node and (story.is_root(act, end) or not any(
                other is not end and other.act.began < end.act.ended and story.may_end(act.shows, other)
                for other in story.ends))
            late = news if act.kind in REMEMBERED and not is_own else 0
            if act.began > end.act.ended + late:
                yield "§7, §16.6", (f"{act.kind} of {' '.join(act.shows)} at node {act.node}, "
                                    f"{act.began - end.act.ended:.3f} s after {end.act.kind} of "
                                    f"{' '.join(end.act.shows)} at node {end.act.node}")


def lost(story: Story, news: float):
    """What nobody ended is not refused."""
    for act in story.acts:
        if act.answer != "refused" or act.kind in ("confirm", "type digits", "answer", "poll", "trespass") or act.kind in ENDS:
            continue
        if any(end.act.began < act.ended and end.act is not act and story.may_end(act.shows, end) for end in story.ends):
            continue
        if act.kind in ONCE or act.kind == "authorize":
            (credential, *_) = act.shows
            # What is brought back wrongly does not use the right answer up.
            uses = (act.kind,) if act.kind == "come back" else (act.kind, "trespass")
            if any(other is not act and other.began < act.ended for other in story.acts_on(credential)
                   if other.kind in uses) or story.age(credential, act) > SAFE_AGE:
                continue
        if act.kind == "refresh" and story.is_reuse(act):
            continue
        # Its own end: the secret was replaced, and may have been used since.
        if any(end.act is act for end in story.ends) and act.kind != "refresh":
            continue
        yield "§7", f"{act.kind} of {' '.join(act.shows)} was refused at node {act.node}, and nobody had ended it"


def came_back(story: Story, news: float):
    """What was over stays over (contract §7)."""
    for name, acts in story.shown.items():
        checks = [act for act in acts if act.kind == "check" and act.shows[0] == name]
        for over in checks:
            if over.answer == "refused":
                for later in checks:
                    if later.answer == "done" and later.began > over.ended + news:
                        yield "§7", f"{name} was over and came back"


def unrecorded(acts: list[Act], events: list[dict]) -> list[Flaw]:
    """What was answered and is not in the audit log, or is there twice (contract §8)."""
    found = []
    count = Counter((event["type"], event["sid"]) for event in events)
    tokens = Counter((event["type"], event["token_id"]) for event in events)
    for act in acts:
        if act.answer != "done":
            continue
        for made in act.made:
            if made.kind == "app" and count["app_session.opened", made.says.get("sid")] != 1:
                found.append(Flaw(act.story, "§8", f"{made.name} was opened, and the log has "
                                  f"{count['app_session.opened', made.says.get('sid')]} events of it"))
        if act.kind in ("redeem link", "land") and (token := act.says.get("jti")):
            if tokens["login_token.redeemed", token] != 1:
                found.append(Flaw(act.story, "§8", f"{act.shows[0]} was redeemed, and the log has "
                                  f"{tokens['login_token.redeemed', token]} events of it"))
    return found
