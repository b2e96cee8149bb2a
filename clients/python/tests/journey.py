"""An app that does what it is told on standard input, for tests that look at it from outside: what it opens, what it
writes, and what is left in its memory."""

import gc
import logging
import pathlib
import sys
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from drawbridge_client import Drawbridge, DrawbridgeError

logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
LOG = logging.getLogger("app")


def say(text: str):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Browser:
    def open(self, address: str) -> str:
        say(address)
        return sys.stdin.readline().strip()


def note(value):
    """As somebody logs who looks for a fault."""
    LOG.debug("%r %s %s", value, value, getattr(value, "__dict__", ""))


def act(app: Drawbridge, word: str, *more: str):
    match word:
        case "sign-in":
            note(app.sign_in())
        case "own":
            note(link := app.open_url(*more))
            say(link.url)
        case "bearer":
            note(link := app.open_url(more[0], bearer=more[1]))
            say(link.url)
        case "refused":
            try:
                app.open_url(*more)
            except DrawbridgeError as error:
                note(error)
                LOG.debug("".join(traceback.format_exception(error)))
        case "sign-out":
            app.sign_out()
        case "wash":
            # What pipes have buffered of the words before is written over.
            say(*more)
    gc.collect()


def main():
    app = Drawbridge(sys.argv[1], "demo-app", redirect_uri="com.example.demo:/callback", sharing="example",
                     browser=Browser(), logger=LOG)
    note(app)
    while line := sys.stdin.readline():
        act(app, *line.split())
        say("done")


main()
