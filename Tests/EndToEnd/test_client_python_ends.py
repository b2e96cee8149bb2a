"""The library for Python: arguments that would mean something else, and what must not be left behind, at the provider and on
the disk."""

import json
import os
import signal
import subprocess
import sys
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest

import instance
import signing
import wire
from drawbridge_client import Drawbridge, DrawbridgeError, FileStore, MemoryStore, _p256, http1
from libraries import loopback_browser

CLIENT = instance.ROOT / "clients/python"
BASE, ITEM, SHARED = "http://127.0.0.1:1", "drawbridge:app-a:http://127.0.0.1:1", "drawbridge-shared:maker"


class Provider:
    """Answers in place of the network. What it signs nobody checks here; the vectors do."""

    def __init__(self, monkeypatch, secret: str = "ds_2"):
        self.revoked, self.nonce, self.secret = [], None, secret
        monkeypatch.setattr(http1, "send", self.send)
        monkeypatch.setattr(_p256, "verifies", lambda *_: True)

    # The person's browser.
    def open(self, address: str) -> str:
        query = parse_qs(urlsplit(address).query)
        self.nonce = query["nonce"][0]
        return f"{query['redirect_uri'][0]}?code=c&state={query['state'][0]}&iss={BASE}"

    def id_token(self, secret: str) -> str:
        claims = {"iss": BASE, "aud": "app-a", "sub": "alice", "exp": 1e10, "iat": 1, "nonce": self.nonce,
                  "ds_hash": signing.half_hash(secret)}
        return ".".join([*(signing.b64url(json.dumps(one).encode()) for one in [{"alg": "ES256", "kid": "k1"}, claims]), "AA"])

    def send(self, method, address, headers, body=None, *_) -> http1.Answer:
        said = {**{name: f"{BASE}/{name}" for name in ["authorization_endpoint", "token_endpoint", "jwks_uri",
                                                       "revocation_endpoint"]},
                "issuer": BASE, "code_challenge_methods_supported": ["S256"]}
        if address.endswith("jwks_uri"):
            point = {name: signing.b64url(value.to_bytes(32, "big")) for name, value in zip("xy", _p256.G)}
            said = {"keys": [{"kty": "EC", "crv": "P-256", "kid": "k1", **point}]}
        elif address.endswith("token_endpoint"):
            said = {"access_token": "at_2", "token_type": "Bearer", "expires_in": 300, "refresh_token": "rt_2",
                    "device_secret": self.secret, "id_token": self.id_token(self.secret)}
        elif address.endswith("revocation_endpoint"):
            form = dict(parse_qsl(body.decode()))
            self.revoked.append((form["token_type_hint"], form["token"]))
        return http1.Answer(200, {}, json.dumps(said))


class Full(MemoryStore):
    """Takes no sign-in of an app."""

    def set(self, name, value):
        if name == ITEM:
            raise OSError("no space")
        super().set(name, value)


@pytest.mark.parametrize("known,revoked", [
    (None, [("refresh_token", "rt_2"), ("device_secret", "ds_2")]),
    # The device was there before, and others may be signed in on it.
    ("ds_1", [("refresh_token", "rt_2")]),
    ("ds_2", [("refresh_token", "rt_2")])])
def test_a_sign_in_that_cannot_be_kept_ends_at_the_provider_and_what_was_shared_before_is_so_again(
        monkeypatch, known, revoked):
    provider, store = Provider(monkeypatch), Full()
    before = json.dumps({"device_secret": known, "id_token": provider.id_token(known)}) if known else None
    if before:
        store.set(SHARED, before)
    app = Drawbridge(BASE, "app-a", redirect_uri="com.example.app:/callback", sharing="maker", store=store, browser=provider)
    with pytest.raises(DrawbridgeError) as told:
        app.sign_in()
    assert told.value.code == "secret_store"
    assert (provider.revoked, store.get(SHARED)) == (revoked, before)


def test_a_sign_in_replaces_one_that_cannot_be_read(monkeypatch):
    class Damaged(MemoryStore):
        def get(self, name):
            if name == ITEM and super().get(name) == "damaged":
                raise OSError("damaged")
            return super().get(name)

    provider, store = Provider(monkeypatch), Damaged()
    store.set(ITEM, "damaged")
    app = Drawbridge(BASE, "app-a", redirect_uri="com.example.app:/callback", store=store, browser=provider)
    assert app.sign_in()["sub"] == "alice"
    assert (app.access_token(), provider.revoked) == ("at_2", [])


@pytest.mark.parametrize("name", ["acr_values", "languages"])
def test_one_text_in_place_of_a_list_is_refused_before_anything_is_sent(monkeypatch, name):
    """It would go out as its letters."""
    monkeypatch.setattr(http1, "send", lambda *_: pytest.fail("nothing is to be sent"))
    app = Drawbridge(BASE, "app-a", redirect_uri="com.example.app:/callback", browser=object())
    for given in ["aal2", "", b"aal2", [""], [2], 2, [None]]:
        with pytest.raises(DrawbridgeError, match="list of words") as told:
            app.sign_in(**{name: given})
        assert told.value.code == "configuration", given


def test_lists_and_their_like_are_taken(monkeypatch):
    provider, asked = Provider(monkeypatch), []

    class Browser:
        def open(self, address):
            asked.append(dict(parse_qsl(urlsplit(address).query)))
            return provider.open(address)

    app = Drawbridge(BASE, "app-a", redirect_uri="com.example.app:/callback", browser=Browser())
    for levels in [["aal2", "mfa"], ("aal2", "mfa"), iter(["aal2", "mfa"])]:
        app.sign_in(acr_values=levels, languages=["de"])
        assert (asked[-1]["acr_values"], asked[-1]["ui_locales"]) == ("aal2 mfa", "de")
    app.sign_in(acr_values=[], languages=None)
    assert not asked[-1].keys() & {"acr_values", "ui_locales"}


@pytest.mark.parametrize("given", [None, "", "a b", 7])
def test_a_function_that_has_no_bearer_to_give_does_not_mean_the_apps_own_sign_in(monkeypatch, given):
    monkeypatch.setattr(http1, "send", lambda *_: pytest.fail("nothing is to be sent"))
    store = MemoryStore()
    store.set(ITEM, json.dumps({"access_token": "at", "expires_at": 1e10, "subject": "alice", "bound": False}))
    with pytest.raises(DrawbridgeError, match="bearer") as told:
        Drawbridge(BASE, "app-a", store=store).open_url("/", bearer=lambda: given)
    assert told.value.code == "configuration"


def opened(demo, app) -> str:
    """The cookie of a page that the app opened."""
    link = app.open_url("/contacts")
    return demo.send("GET", link.url.removeprefix(demo.base), wire.NAVIGATION).session_cookie


@pytest.mark.parametrize("binding", [False, True])
def test_a_page_of_an_earlier_sign_in_of_the_person_stays_until_the_sign_out_which_ends_all(demo, binding):
    app = Drawbridge(demo.base, "demo-app", dpop=binding, browser=loopback_browser(demo))
    app.sign_in()
    first, page = app.access_token(), opened(demo, app)
    app.sign_in()
    assert demo.session(page)["sub"] == demo.user("alice")["sub"]
    second, other = app.access_token(), opened(demo, app)
    app.sign_out()
    for cookie in (page, other):
        assert not demo.session(cookie)["authenticated"]
    if not binding:
        for token in (first, second):
            assert demo.send("GET", "/oauth/userinfo", {"Authorization": f"Bearer {token}"}).status == 401


def test_the_page_of_one_person_ends_when_another_signs_in_in_the_app(demo):
    store = MemoryStore()
    app = Drawbridge(demo.base, "demo-app", store=store, browser=loopback_browser(demo))
    app.sign_in()
    page = opened(demo, app)
    other = Drawbridge(demo.base, "demo-app", store=store, browser=loopback_browser(demo, "bob"))
    assert other.sign_in()["sub"] == demo.user("bob")["sub"]
    assert not demo.session(page)["authenticated"]
    assert demo.session(opened(demo, other))["sub"] == demo.user("bob")["sub"]


def killed_while_it_writes(folder, name: str):
    code = f"""
import os, signal, sys
sys.path.insert(0, {str(CLIENT)!r})
from drawbridge_client import FileStore
store = FileStore({str(folder)!r})
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
store.set({name!r}, "secret of a killed process")
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == -signal.SIGKILL


def secrets_in(folder) -> list:
    return [path.read_text() for path in folder.iterdir() if path.stat().st_size]


def test_what_a_killed_process_had_written_goes_with_the_next_change_or_at_the_sign_out(tmp_path):
    folder = tmp_path / "secrets"
    store = FileStore(folder)
    for name in ["a", "b"]:
        killed_while_it_writes(folder, name)
    store.set("a", "1")
    # Of another item it stays, whose writer may be at it.
    assert sorted(secrets_in(folder)) == ["1", "secret of a killed process"]
    killed_while_it_writes(folder, "a")
    store.remove("b")
    assert sorted(secrets_in(folder)) == ["1", "secret of a killed process"]
    store.remove("a")
    assert secrets_in(folder) == []


def test_what_is_to_leave_leaves_also_where_there_is_no_place_for_a_lock(tmp_path, monkeypatch):
    folder = tmp_path / "secrets"
    FileStore(folder).set("a", "1")
    killed_while_it_writes(folder, "a")
    opened = os.open

    def full(path, flags, *more, **options):
        if flags & os.O_CREAT:
            raise OSError(28, "no space")
        return opened(path, flags, *more, **options)

    monkeypatch.setattr(os, "open", full)
    FileStore(folder).remove("a")
    assert secrets_in(folder) == []
