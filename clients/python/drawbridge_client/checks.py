"""What a value of an answer, or of the app, has to be."""

import re
import sys


def is_text(value) -> bool:
    return isinstance(value, str) and value != ""


def is_visible(value) -> bool:
    """What may stand in a header: one with a line break would write headers of its own (RFC 6749 appendix A.12)."""
    return isinstance(value, str) and re.fullmatch(r"[!-~]+", value) is not None


def is_number(value) -> bool:
    """One that a float can hold: Python reads whole numbers of any length."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
