"""How a bug on purpose is written down (`planted_faults.py`)."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """A text of the sources, and what stands in its place in the copy."""

    path: str
    text: str
    instead: str

    @property
    def names(self) -> set[str]:
        return set(re.findall(r'planted\("([^"]+)"\)', self.instead))
