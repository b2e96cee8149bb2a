"""Which paths a guard guards."""

import re

from .settings import ConfigurationError


def plain_prefixes(prefixes) -> tuple:
    """What `is_below` compares with. One that no path begins with would guard nothing."""
    prefixes = (prefixes,) if isinstance(prefixes, str) else tuple(prefixes)
    for prefix in prefixes:
        if not isinstance(prefix, str) or not prefix.startswith("/") or any(
                mark in prefix for mark in ("%", "//", "/./", "/../")):
            raise ConfigurationError(f"a prefix must begin with / and be a plain path, without % // /./ /../, not {prefix!r}")
    return prefixes


def is_below(prefixes: tuple, *paths: str) -> bool:
    """Whether one of the paths begins with a prefix, as it came or as a server of files reads it.

    One with `..` is below every prefix: no browser sends it, and where it leads the folders of the server decide.
    """
    for path in paths:
        parts = re.split(r"[/\\]", path)
        if ".." in parts:
            return True
        plain = "/" + "/".join(part for part in parts if part not in ("", "."))
        if plain != "/" and parts[-1] in ("", "."):
            plain += "/"
        if path.startswith(prefixes) or plain.startswith(prefixes):
            return True
    return False
