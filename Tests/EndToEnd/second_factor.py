"""Users with a second factor, set up by the command line."""

import re
from urllib.parse import parse_qs, urlsplit

import instance
from accounts import PASSWORD

CONSOLE = "/sign-in?redirect=%2Fadmin%2F"


def add(server, name: str, *flags: str):
    instance.run("users", "add", "--config", str(server.settings), name, *flags, stdin=PASSWORD.encode() + b"\n")


def factor(server, *words: str, **more):
    return instance.run("users", "second-factor", *words, "--config", str(server.settings), **more)


def enrolled(server, name: str, *flags: str) -> tuple[str, list[str]]:
    """The key and the recovery codes that the command printed."""
    text = factor(server, "enrol", *flags, name).stdout.decode()
    key = re.search(r"^Key: ([A-Z2-7]{32})$", text, re.M)[1]
    uri = re.search(r"^otpauth://totp/\S+$", text, re.M)[0]
    assert parse_qs(urlsplit(uri).query)["secret"] == [key] and name in uri
    codes = re.findall(r"^  ([a-z2-7]{4}(?:-[a-z2-7]{4}){3})$", text, re.M)
    assert len(set(codes)) == 10
    return key, codes


def password(browser, name: str, target: str = CONSOLE):
    return browser.submit(browser.request("GET", target), username=name, password=PASSWORD)
