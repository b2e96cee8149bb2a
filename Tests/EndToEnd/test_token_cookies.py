"""Cookies of the profile `tokens` where a browser has several: of another domain, for another route, beside another
session of the same user (contract §4.3, §6)."""

import re
import secrets
from urllib.parse import urlencode, urlsplit

import pytest

import instance
import native
import oauth
import signing
import wire
from admin import admin, change, reach
from landing import RP

PAGE, END = "/account/devices", "/account/devices/end"
VA_REFRESH = "/v0/sign_in/refresh"
DOMAIN = ".example.test"
NAMES = ("access_token", "refresh_token", "anti_csrf_token", "info_token")


def named() -> str:
    return f"u{secrets.token_hex(6)}"


class Jar:
    """A browser at one host, which keeps cookies by name, path and domain, takes an answer's lines in their order (RFC 6265
    §5.3), and sends all of them that the host and path lie in."""

    def __init__(self, demo, host: str | None = None):
        self.demo = demo
        self.host = host or urlsplit(demo.base).netloc
        self.origin = f"https://{host}" if host else demo.base
        self.kept: dict[tuple[str, str, str | None], str] = {}

    def send(self, method: str, target: str, headers: dict | None = None, body: str | None = None) -> wire.Answer:
        path = urlsplit(target).path
        sent = [f"{name}={value}" for (name, place, domain), value in self.kept.items()
                if path.startswith(place) and (domain is None or self.host.endswith(f".{domain}"))]
        headers = {**wire.NAVIGATION, "Host": self.host, **(headers or {})}
        if sent:
            headers["Cookie"] = "; ".join(sent)
        answer = self.demo.send(method, target, headers, body)
        for line in answer.all("Set-Cookie"):
            pair, *rest = [part.strip() for part in line.split(";")]
            name, _, value = pair.partition("=")
            attributes = {part.partition("=")[0].lower(): part.partition("=")[2] for part in rest}
            domain = attributes.get("domain", "").lstrip(".") or None
            self.kept.pop((name, attributes["path"], domain), None)
            if attributes.get("max-age") != "0":
                self.kept[name, attributes["path"], domain] = value
        # Says so, too, if one is set twice.
        assert len(answer.cookies) <= len(answer.all("Set-Cookie"))
        return answer

    def open(self, token: dict):
        answer = self.send("GET", f"{instance.REDEEM}?token={token['token']}")
        assert answer.status == 303, (answer.status, answer.text)

    def post(self, target: str, headers: dict | None = None, **fields: str) -> wire.Answer:
        own = {"Content-Type": wire.FORM, "Origin": self.origin, "Sec-Fetch-Site": "same-origin"}
        return self.send("POST", target, {**own, **(headers or {})}, urlencode(fields))

    def refresh(self, prefix: str, path: str = "/session/refresh") -> wire.Answer:
        return self.post(path, {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty",
                                "X-CSRF-Token": self.kept[prefix + "anti_csrf_token", "/", None]})

    def sign_out(self):
        answer = self.post("/session/logout", {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"})
        assert answer.status in (204, 303), answer.text

    def user(self) -> str | None:
        return self.send("GET", "/session").json().get("sub")

    def domains(self, prefix: str) -> list[str | None]:
        """Of the access cookies that it has."""
        return [domain for name, _, domain in self.kept if name == f"{prefix}access_token"]

    def of(self, prefix: str) -> set:
        return {place for place in self.kept if place[0].startswith(prefix)}


class Shop:
    """Websites of one prefix at a host of their own."""

    def __init__(self, demo):
        self.demo, self.prefix = demo, f"{named()}_"
        self.host = f"{named()}.shop.example.test"
        self.sub = named()

    def website(self, domain: str | None = None, **more) -> RP:
        return RP(self.demo, "shop", cookie_profile="tokens", cookie_prefix=self.prefix, cookie_domain=domain,
                  public_origin=f"https://{self.host}", redirect_uris=[], **more)

    def visited(self, website: RP) -> Jar:
        jar = Jar(self.demo, self.host)
        jar.open(website.token(self.sub))
        assert jar.user() == self.sub
        return jar


@pytest.fixture
def shop(demo) -> Shop:
    return Shop(demo)


# Of two cookies of one name nobody can tell which is good


@pytest.mark.parametrize("before, after", [
    (None, DOMAIN), (DOMAIN, ".shop.example.test"), (".shop.example.test", None)])
@pytest.mark.parametrize("how", ["refresh", "link"])
def test_who_comes_back_after_a_change_of_the_domain_is_signed_in(demo, shop, how, before, after):
    website = shop.website(before)
    jar = shop.visited(website)
    change(demo, website.id, cookie_domain=after)
    if how == "link":
        jar.open(website.token(shop.sub))
    else:
        assert jar.refresh(shop.prefix).status == 200
        if before:
            # A refresh, which comes every few minutes, minds a domain that no client has any more only once there are two
            # of a name; then a page is told what it needs for the next one.
            told = jar.send("GET", "/session").json()
            assert told["anti_csrf_token"] == jar.kept[shop.prefix + "anti_csrf_token", "/", None]
            assert jar.refresh(shop.prefix).status == 200
    assert jar.user() == shop.sub
    assert jar.domains(shop.prefix) == [after and after[1:]]


@pytest.mark.parametrize("renews", [False, True], ids=["before a refresh", "after a refresh"])
@pytest.mark.parametrize("before, after", [(None, DOMAIN), (DOMAIN, None)])
def test_who_signs_out_after_a_change_of_the_domain_has_no_cookie_left(demo, shop, before, after, renews):
    website = shop.website(before)
    jar = shop.visited(website)
    change(demo, website.id, cookie_domain=after)
    if renews:
        jar.refresh(shop.prefix)
    jar.sign_out()
    assert jar.of(shop.prefix) == set()
    jar.open(website.token(shop.sub))
    assert jar.user() == shop.sub


@pytest.mark.parametrize("domains", [(DOMAIN, None), (None, DOMAIN)], ids=["domain first", "host first"])
def test_links_of_two_websites_of_one_prefix_and_two_domains_sign_one_user_in(shop, domains):
    first, second = (shop.website(domain) for domain in domains)
    jar = shop.visited(first)
    jar.open(second.token(shop.sub))
    assert jar.user() == shop.sub
    assert len(jar.domains(shop.prefix)) == 1
    assert jar.refresh(shop.prefix).status == 200


def test_where_all_cookies_are_the_hosts_own_a_refresh_takes_nothing_away(shop):
    jar = shop.visited(shop.website())
    assert "Max-Age=0" not in "".join(jar.refresh(shop.prefix).all("Set-Cookie"))


def test_a_first_link_takes_nothing_away(shop):
    answer = Jar(shop.demo, shop.host).send(
        "GET", f"{instance.REDEEM}?token={shop.website(DOMAIN).token(shop.sub)['token']}")
    assert {name.removeprefix(shop.prefix) for name in answer.cookies if name.startswith(shop.prefix)} == set(NAMES)
    assert not [line for line in answer.all("Set-Cookie") if line.startswith(shop.prefix) and "Max-Age=0" in line]


def test_what_is_taken_away_for_repeated_cookies_stays_within_2_kb(shop):
    shop.host = ".".join([named(), *"abcdefgh", "example.test"])
    website = shop.website()
    headers = {"Host": shop.host, "Cookie": "; ".join(f"{shop.prefix}{name}=x" for name in NAMES * 2)}
    answer = shop.demo.send(
        "GET", f"{instance.REDEEM}?token={website.token(shop.sub)['token']}", {**wire.NAVIGATION, **headers})
    taken = [line for line in answer.all("Set-Cookie") if line.startswith(shop.prefix) and "Max-Age=0" in line]
    assert answer.status == 303 and taken and sum(map(len, taken)) <= 2048


# The refresh cookie is for two routes


def test_a_link_after_an_exchange_takes_the_refresh_cookie_of_the_other_route_away(start_demo):
    """What stayed there was of a session that the link had replaced, and refused whatever was shown beside it."""
    demo = start_demo("--no-limits")
    change(demo, "demo-webview", return_paths=["/contacts"], default_return_path="/contacts")
    reach(demo, "demo-webview")
    app = native.App(demo)
    app.sign_in()
    jar = Jar(demo)
    view = app.cookies(path="/v0/sign_in/token")
    for line in view.all("Set-Cookie"):
        name, _, value = line.partition(";")[0].partition("=")
        jar.kept[name, re.search("Path=([^;]*)", line)[1], None] = value
    assert jar.refresh("vagov_", VA_REFRESH).status == 200
    jar.open(demo.issue("alice", client_id="demo-webview"))
    assert {place[1] for place in jar.kept if place[0] == "vagov_refresh_token"} == {"/session/refresh"}
    for _ in range(2):
        assert jar.refresh("vagov_", "/session/refresh").status == 200
    assert jar.user() == demo.user("alice")["sub"]
    jar.sign_out()
    assert jar.of("vagov_") == set()


# "You are signed out in this browser at once"


class Person:
    """A user of this test alone."""

    def __init__(self, demo):
        self.demo, self.name, self.password = demo, named(), "a password of this test"
        made = admin(demo, "POST", "/api/admin/users", {"username": self.name, "password": self.password})
        assert made.status == 201, made.text
        self.sub = made.json()["sub"]
        self.jar = Jar(demo)
        self.prefix = f"{named()}_"
        self.website = RP(demo, "devices", cookie_profile="tokens", cookie_prefix=self.prefix, public_origin=None,
                          redirect_uris=[])

    def sign_in(self):
        page = self.jar.send("GET", "/sign-in")
        form = next(form for form in oauth.Forms(page.text).forms if form["action"] == "/sign-in")
        done = self.jar.post("/sign-in", **{**form["fields"], "username": self.name, "password": self.password})
        assert done.status == 303, done.text

    def forms(self) -> list[dict]:
        forms = oauth.Forms(self.jar.send("GET", PAGE).text).forms
        return [form["fields"] for form in forms if form["action"] == END]

    def end(self, form: dict):
        assert self.jar.post(END, **form).status == 303

    def is_signed_out(self) -> bool:
        return self.jar.user() is None and not self.jar.of(self.prefix) and not self.jar.of(wire.SESSION_COOKIE)


@pytest.mark.parametrize("row", ["own sign-in", "link"])
def test_who_signs_out_here_on_the_page_of_devices_is_signed_out_of_both_profiles(demo, row):
    person = Person(demo)
    person.sign_in()
    person.jar.open(person.website.token(person.sub))
    page = person.jar.send("GET", PAGE).text
    assert len(re.findall(r'<li id="browser-[^>]*aria-current="true"', page)) == page.count("You are here") == 2
    sid = signing.claims_of(person.jar.kept[f"{person.prefix}access_token", "/", None])["sid"]
    person.end(next(form for form in person.forms() if (form.get("id") == sid) is (row == "link")))
    assert person.is_signed_out()


def test_who_came_by_a_link_alone_and_signs_out_there_has_no_cookie_left(demo):
    person = Person(demo)
    person.jar.open(person.website.token(person.sub))
    [form] = person.forms()
    person.end(form)
    assert person.is_signed_out()


def test_a_link_that_ends_itself_on_the_page_leaves_the_browsers_other_link_alone(demo):
    person = Person(demo)
    other = RP(demo, "devices", cookie_profile="tokens", cookie_prefix=f"z{person.prefix}", public_origin=None,
               redirect_uris=[])
    person.jar.open(person.website.token(person.sub))
    person.jar.open(other.token(person.sub))
    [form] = person.forms()
    person.end(form)
    assert not person.jar.of(person.prefix) and len(person.jar.of(f"z{person.prefix}")) >= len(NAMES)
    assert person.jar.user() == person.sub


def test_ending_another_browser_takes_no_cookie_of_this_one(demo):
    person = Person(demo)
    person.sign_in()
    here, person.jar = person.jar, Jar(demo)
    person.sign_in()
    elsewhere, person.jar = person.jar, here
    here.open(person.website.token(person.sub))
    page = here.send("GET", PAGE).text
    rows = {found[1]: "aria-current" in found[0] for found in re.finditer(r'<li id="browser-([^"]*)"[^>]*>', page)}
    person.end(next(form for form in person.forms() if not rows.get(form.get("id"), True)))
    assert here.user() == person.sub and len(here.of(person.prefix)) >= len(NAMES)
    assert elsewhere.user() is None


def test_ending_everything_else_spares_every_row_that_says_you_are_here(demo):
    person = Person(demo)
    person.sign_in()
    here, person.jar = person.jar, Jar(demo)
    person.sign_in()
    person.jar.open(person.website.token(person.sub))
    elsewhere, person.jar = person.jar, here
    here.open(person.website.token(person.sub))
    assert here.send("GET", PAGE).text.count("You are here") == 2
    person.end(next(form for form in person.forms() if form.get("what") == "others"))
    page = here.send("GET", PAGE).text
    assert page.count('<li id="') == page.count("You are here") == 2
    assert here.user() == person.sub and len(here.of(person.prefix)) >= len(NAMES)
    assert elsewhere.user() is None
    assert here.refresh(person.prefix, "/session/refresh").status == 200
