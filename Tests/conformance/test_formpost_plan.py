"""The Form Post Basic OP plan: the modules of the Basic plan once more, with answers that the browser posts."""

from basic_plan import *

PLAN, MODE = "oidcc-formpost-basic-certification-test-plan", "form_post"
