"""What a module found, in the suite's words: a failure stops it, the rest is written down."""

PASSED, WARNING, REVIEW, SKIPPED, FAILED = "PASSED", "WARNING", "REVIEW", "SKIPPED", "FAILED"
NOT_APPLICABLE = "NOT APPLICABLE"


class Report:
    def __init__(self, module: str, mode: str | None = None):
        """`mode` is the `response_mode` that the plan asks for."""
        self.module, self.mode = module, mode
        self.failed = False
        self.warnings: list[str] = []
        self.reviews: list[str] = []
        self.skipped = self.inapplicable = ""

    def must(self, holds: bool, text: str):
        """A condition of severity FAILURE."""
        assert holds, f"{self.module}: {text}"

    def should(self, holds: bool, text: str):
        """A condition of severity WARNING: the suite passes such a module, with a mark."""
        if not holds and text not in self.warnings:
            self.warnings.append(text)

    def review(self, text: str):
        """Where the suite wants a screenshot that a person looks at; what can be checked is checked here."""
        self.reviews.append(text)

    def skip(self, reason: str):
        """The suite ends a module so when the provider does not have the optional feature, and says it rightly."""
        self.skipped = reason

    def not_applicable(self, reason: str):
        """The suite leaves the module out of a plan with static clients."""
        self.inapplicable = reason

    @property
    def result(self) -> str:
        if self.failed:
            return FAILED
        if self.inapplicable:
            return NOT_APPLICABLE
        if self.skipped:
            return SKIPPED
        if self.warnings:
            return WARNING
        return REVIEW if self.reviews else PASSED

    @property
    def note(self) -> str:
        return "; ".join(part for part in [self.inapplicable, self.skipped, *self.warnings, *self.reviews] if part)
