"""One piece of work: a method on one draw of a setting."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

KEY = ("experiment", "setting", "method", "repetition")


@dataclass(frozen=True, slots=True)
class Job:
    """One fit and its test, the subject of one row of the results."""

    experiment: str
    setting: str
    method: str
    repetition: int

    @property
    def key(self) -> tuple[str, str, str, int]:
        return self.experiment, self.setting, self.method, self.repetition

    def seed(self, purpose: str) -> int:
        """A seed of its own for each purpose; all methods of a repetition see the same data."""
        words = f"{self.experiment} {self.setting} {self.repetition} {purpose}"
        return int.from_bytes(hashlib.sha256(words.encode()).digest()[:4]) // 2
