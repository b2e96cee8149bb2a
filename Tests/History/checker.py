"""Decides, after the fact and from what clients saw alone, whether the answers of a service can have been right.

A history is a list of operations on links, each with when its client began and when it had the answer. One link is one
history of its own: what happens to it and to the session that it opens touches no other. The question is Herlihy's and
Wing's: is there an order of the operations, each somewhere between its beginning and its end, in which a service that
does one thing after another would have answered so? The search is Wing's and Gong's, with a memory of what it tried.

Two things are looser than "at once", and both are the contract's: a node hears within a second of an end elsewhere
(contract §16.11), and an operation without an answer may have happened at any time after it began, or never.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass

#: Seconds within which every node refuses what ended elsewhere (contract §7).
NEWS = 1.0
#: Seconds within which the same browser's second try is a double tap (contract §4.3).
DOUBLE_TAP = 3.0
FOREVER = float("inf")


@dataclass(frozen=True)
class Operation:
    """`kind` is redeem, revoke, status, check or leave; `answer` is None when none came, or a 503 did.

    redeem: opened, passed (a double tap) or refused; revoke: revoked or late; status: pending, redeemed or revoked;
    check: yes or no; leave: left.
    """

    link: str
    kind: str
    node: int
    began: float
    ended: float
    answer: str | None
    #: Of a redemption.
    browser: str = ""

    def as_dict(self) -> dict:
        return asdict(self)


@dataclass(frozen=True)
class Flaw:
    link: str
    clause: str
    what: str


#: What a link can be: nobody used it; it was taken back; its session lives, or is over.
PENDING, REVOKED, OPEN, OVER = "pending", "revoked", "open", "over"
KINDS = {"redeem": {"opened", "passed", "refused"}, "revoke": {"revoked", "late"},
         "status": {"pending", "redeemed", "revoked"}, "check": {"yes", "no"}, "leave": {"left"}}


def step(state: tuple, operation: Operation, answer: str):
    """The state after this answer; None where the contract does not let a service answer so.

    A state is what the link is and which browser used it.
    """
    what, user = state
    match operation.kind, answer:
        case "redeem", "opened":
            return (OPEN, operation.browser) if what == PENDING else None
        case "redeem", "passed":
            return state if what in (OPEN, OVER) and user == operation.browser else None
        case "redeem", "refused":
            if what == PENDING:
                return None
            # A replay: what the first use opened ends (contract §4.3).
            return (OVER, user) if what == OPEN else state
        case "revoke", "revoked":
            return (REVOKED, "") if what in (PENDING, REVOKED) else None
        case "revoke", "late":
            return state if what in (OPEN, OVER) else None
        case "status", said:
            known = {PENDING: "pending", REVOKED: "revoked", OPEN: "redeemed", OVER: "redeemed"}[what]
            return state if said == known else None
        case "check", "yes":
            return state if what == OPEN else None
        case "check", "no":
            return state if what == OVER else None
        case "leave", "left":
            return (OVER, user) if what in (OPEN, OVER) else None
    raise ValueError(f"no such operation: {operation}")


def ends(operation: Operation) -> bool:
    """Whether it may be what ended the session."""
    return operation.kind == "leave" or (operation.kind == "redeem" and operation.answer in (None, "refused"))


def intervals(history: list[Operation], news: float) -> list[tuple[float, float, Operation, list[str]]]:
    """For each operation from when to when it can have happened, and the answers it can have given."""
    found = []
    endings = [operation for operation in history if ends(operation)]
    for operation in history:
        began, ended, answers = operation.began, operation.ended, [operation.answer]
        if operation.answer is None:
            ended, answers = FOREVER, ["", *sorted(KINDS[operation.kind])]
        elif operation.kind == "check" and operation.answer == "yes":
            # A node may not have heard yet; its own ends it knows.
            if any(other.node != operation.node for other in endings):
                began -= news
        found.append((began, ended, operation, answers))
    return found


def is_possible(history: list[Operation], news: float = NEWS) -> bool:
    """Whether some order explains the history of one link."""
    items = intervals(history, news)
    # What has to be explained; what got no answer may never have happened.
    due = sum(1 << index for index, item in enumerate(items) if item[2].answer is not None)
    tried, todo = set(), [(0, (PENDING, ""))]
    while todo:
        done, state = todo.pop()
        if done & due == due:
            return True
        if (done, state) in tried:
            continue
        tried.add((done, state))
        # What may come next began before everything else that is left was over.
        deadline = min(item[1] for index, item in enumerate(items) if not done >> index & 1)
        for index, (began, _, operation, answers) in enumerate(items):
            if done >> index & 1 or began > deadline:
                continue
            for answer in answers:
                after = state if answer == "" else step(state, operation, answer)
                if after is not None:
                    todo.append((done | 1 << index, after))
    return False


def flaws(history: list[Operation], news: float = NEWS, skew: float = 0) -> list[Flaw]:
    """What is wrong with the whole history: first by name, then whatever no order explains.

    `news` is how long a node may not have heard of an end elsewhere, and `skew` how far the nodes' clocks are apart, in
    seconds.
    """
    found = []
    links = defaultdict(list)
    for operation in history:
        if operation.kind not in KINDS or operation.answer not in KINDS[operation.kind] | {None}:
            raise ValueError(f"no such operation: {operation}")
        if operation.ended < operation.began:
            raise ValueError(f"ended before it began: {operation}")
        links[operation.link].append(operation)
    for link, operations in links.items():
        named = [Flaw(link, clause, what) for clause, what in obvious(operations, news, skew)]
        if not named and not is_possible(operations, news):
            named = [Flaw(link, "§4.2, §4.3, §7", "no order of these answers is possible")]
        found += named
    return found


def obvious(history: list[Operation], news: float, skew: float) -> list[tuple[str, str]]:
    """What needs no search, said in the contract's words."""
    found = []
    answers = Counter((operation.kind, operation.answer) for operation in history)
    if answers["redeem", "opened"] > 1:
        found.append(("§4.2", "a link opened two sessions"))
    if answers["redeem", "opened"] and answers["revoke", "revoked"]:
        found.append(("§3", "a link that was taken back opened a session"))
    for check in history:
        if check.kind != "check" or check.answer != "yes":
            continue
        for end in history:
            if end.kind == "leave" and end.answer == "left":
                late = 0 if end.node == check.node else news
                if check.began > end.ended + late:
                    found.append(("§7", f"a session lived {check.began - end.ended:.3f} s after it was ended"))
        for earlier in history:
            if earlier.kind == "check" and earlier.answer == "no" and check.began > earlier.ended + news:
                found.append(("§7", "a session that was over came back"))
    for tap in history:
        if tap.kind == "redeem" and tap.answer == "passed":
            uses = [other for other in history if other.kind == "redeem" and other is not tap
                    and other.answer in ("opened", None) and other.browser == tap.browser]
            if all(tap.began > use.ended + DOUBLE_TAP + skew for use in uses):
                found.append(("§4.3", "a double tap of nobody, or too late"))
    return found
