"""A plain HTTP/1.1 client that hides nothing: every header as sent, no redirects, no cookie jar."""

import http.client
import json
import ssl
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import urlencode, urlsplit

SESSION_COOKIE = "__Host-drawbridge_session"
FORM = "application/x-www-form-urlencoded"

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1"

#: What a browser sends when a person opens a link from another app (contract §4.2).
NAVIGATION = {
    "User-Agent": FIREFOX,
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
    "Sec-Fetch-Site": "none",
}
#: The same from somebody else's browser, so that it is no double tap (contract §4.3).
OTHER_BROWSER = {**NAVIGATION, "User-Agent": SAFARI}


@dataclass(frozen=True)
class Cookie:
    value: str
    #: Attribute names in lower case; a flag has the value ``True``.
    attributes: dict


@dataclass(frozen=True)
class Answer:
    status: int
    headers: list
    body: bytes

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def header(self, name: str) -> str | None:
        values = self.all(name)
        assert len(values) <= 1, f"{name} sent {len(values)} times: {values}"
        return values[0] if values else None

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> dict:
        assert self.header("Content-Type").split(";")[0] == "application/json", self.headers
        return json.loads(self.body)

    @property
    def cookies(self) -> dict[str, Cookie]:
        """By name; of those that are set for several places, the first that has a value."""
        found = {}
        places = set()
        for line in self.all("Set-Cookie"):
            pair, *rest = line.split(";")
            name, _, value = pair.partition("=")
            attributes = {}
            for item in rest:
                key, has_value, text = item.strip().partition("=")
                attributes[key.lower()] = text if has_value else True
            place = (name, attributes.get("path"), attributes.get("domain"))
            assert place not in places, f"cookie {place} set twice"
            places.add(place)
            if name not in found or value and not found[name].value:
                found[name] = Cookie(value, attributes)
        return found

    @property
    def session_cookie(self) -> str | None:
        cookie = self.cookies.get(SESSION_COOKIE)
        return f"{SESSION_COOKIE}={cookie.value}" if cookie and cookie.value else None


def send(
    base_url: str,
    method: str,
    target: str,
    headers: dict | list | None = None,
    body: bytes | str | dict | None = None,
    source: str | None = None,
    timeout: float = 30,
    cafile: str | None = None,
) -> Answer:
    """Sends one request and reads one answer.

    A ``dict`` as body goes out as JSON, a ``str`` as a form. ``source`` is the address the connection comes from.
    """
    pairs = list(headers.items()) if isinstance(headers, dict) else list(headers or [])
    named = {name.lower() for name, _ in pairs}
    if isinstance(body, dict):
        body = json.dumps(body).encode()
        if "content-type" not in named:
            pairs.append(("Content-Type", "application/json"))
    elif isinstance(body, str):
        body = body.encode()
        if "content-type" not in named:
            pairs.append(("Content-Type", FORM))
    url = urlsplit(base_url)
    address = (source, 0) if source else None
    if url.scheme == "https":
        connection = http.client.HTTPSConnection(
            url.hostname, url.port, timeout=timeout, context=ssl.create_default_context(cafile=cafile))
    else:
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=timeout, source_address=address)
    try:
        connection.putrequest(method, target, skip_host="host" in named, skip_accept_encoding=True)
        for name, value in pairs:
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        elif method in ("POST", "PUT"):
            connection.putheader("Content-Length", "0")
        connection.endheaders(body)
        response = connection.getresponse()
        return Answer(response.status, response.getheaders(), response.read())
    finally:
        connection.close()


class PageForm(HTMLParser):
    """The forms of a page: action, method, fields and buttons, as a browser without scripts sees them."""

    def __init__(self, html: str):
        super().__init__()
        self.forms: list[dict] = []
        self.inline_scripts = 0
        self.inline_handlers: list[str] = []
        self._in_form = False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.inline_handlers += [name for name in attributes if name.startswith("on") or name == "style"]
        if tag == "script" and "src" not in attributes or tag == "style":
            self.inline_scripts += 1
        if tag == "form":
            self._in_form = True
            self.forms.append({
                "action": attributes.get("action", ""), "method": attributes.get("method", "get").lower(),
                "fields": {}, "buttons": []})
        elif self._in_form and tag == "input" and attributes.get("name"):
            self.forms[-1]["fields"][attributes["name"]] = attributes.get("value", "")
        elif self._in_form and tag == "button":
            self.forms[-1]["buttons"].append((attributes.get("name"), attributes.get("value")))

    def handle_endtag(self, tag):
        if tag == "form":
            self._in_form = False


def encode(fields: dict | list) -> str:
    return urlencode(fields)


def cookie_header(*answers: Answer) -> str:
    """What a browser would send back after these answers."""
    jar = {}
    for answer in answers:
        for name, cookie in answer.cookies.items():
            if cookie.value and cookie.attributes.get("max-age") != "0":
                jar[name] = cookie.value
            else:
                jar.pop(name, None)
    return "; ".join(f"{name}={value}" for name, value in jar.items())


def jar(*answers: Answer) -> dict:
    """The same as a header."""
    return {"Cookie": cookie_header(*answers)}


def cookies(jar: dict[str, str]) -> dict:
    """A browser's cookies as a header."""
    return {"Cookie": "; ".join(f"{name}={value}" for name, value in jar.items())}
