"""The Form Post Basic OP plan: the modules of the Basic plan once more, with answers that the browser posts."""

from test_basic_plan import *  # noqa: F403

PLAN, MODE = "oidcc-formpost-basic-certification-test-plan", "form_post"
