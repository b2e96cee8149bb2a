"""One call of an app that keeps its secrets in the desktop's keyring; a session of its own is the caller's to make.

    python keyring_app.py ISSUER FOLDER sign-in | whoami | meet | age | sign-out

`meet` is `whoami` of two processes that have both read the old sign-in before either renews it.
"""

import json
import logging
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from drawbridge_client import Drawbridge, DrawbridgeError, KeyringStore, LoopbackBrowser

SERVICE = "com.example.keyring-app"


class Meeting(KeyringStore):
    met = False

    def get(self, name: str) -> str | None:
        found = super().get(name)
        if not self.met:
            place = self._folder.with_name("meeting")
            place.mkdir(exist_ok=True)
            (place / str(os.getpid())).touch()
            while len(list(place.iterdir())) < 2:
                time.sleep(0.0005)
            self.met = True
        return found


def show(address: str) -> bool:
    print(address, flush=True)
    return True


def main(issuer: str, folder: str, verb: str):
    item = f"drawbridge:demo-app:{issuer}"
    store = (Meeting if verb == "meet" else KeyringStore)(SERVICE, folder)
    app = Drawbridge(issuer, "demo-app", sharing="example", store=store, logger=logging.getLogger(),
                     browser=LoopbackBrowser(seconds=300, open_address=show))
    match verb:
        case "sign-in":
            print(app.sign_in()["sub"])
        case "whoami" | "meet":
            print(app.person()["sub"])
        case "age":
            # As if the time of the access token had come.
            own = json.loads(store.get(item))
            store.set(item, json.dumps({**own, "expires_at": 0}))
        case "sign-out":
            app.sign_out()
            # A second removal finds nothing, which is no error.
            store.remove(item)


if __name__ == "__main__":
    # Every request, on standard error.
    logging.basicConfig(level=logging.DEBUG, format="%(message)s")
    try:
        main(*sys.argv[1:])
    except DrawbridgeError as error:
        print(error, file=sys.stderr)
        sys.exit(3 if error.code == "not_signed_in" else 1)
