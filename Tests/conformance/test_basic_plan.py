"""The Basic OP plan."""

from basic_plan import *
