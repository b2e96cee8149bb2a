"""The 3rd-Party-Initiated Login OP plan: a person who is signed in elsewhere begins at a website's own sign-in address."""

from urllib.parse import parse_qs

import pytest

import instance
from op import CALLBACK, HOST, INITIATE_LOGIN, INITIATED, Website, admin

module = pytest.mark.module


@module("oidcc-3rd_party-init-login")
def test_oidcc_3rd_party_init_login(op, report):
    """The person is in an app, which opens the website: the third party is the provider itself."""
    issued = op.send("POST", instance.ISSUE, {"Authorization": f"Bearer {op.bearer('somebody')}"},
                     {"client_id": INITIATED, "redirect": "/test/a/drawbridge"})
    report.must(issued.status == 200, f"the app gets a link: {issued.text}")
    website = Website(op, report, INITIATED)
    opened = website.person.request("GET", issued.json()["login_url"].removeprefix(op.base))
    report.must(opened.status == 303, f"the link leads on: {opened.status}")
    place, _, query = opened.header("Location").partition("?")
    report.must(place == INITIATE_LOGIN, f"the browser comes to the website's own sign-in address, not to {place}")
    said = parse_qs(query, strict_parsing=True)
    report.must(said["iss"] == [op.issuer], "iss is the issuer (OpenID Connect Core §4)")
    report.must(said["target_link_uri"] == [HOST], "target_link_uri is the page that was opened")
    report.must("login_hint" not in said, "nobody is named in an address")
    login = website.log_in(redirect_uri=CALLBACK)
    report.must(login.shown == [], f"nobody is asked: {login.shown}")
    report.must(login.claims["sub"] == "somebody", "the website hears who it is")


@module("oidcc-3rd_party-init-login-nohttps")
def test_oidcc_3rd_party_init_login_nohttps(op, report):
    answer = op.send("POST", "/api/admin/clients", admin(op), {
        "client_name": "Plain", "client_type": "web", "redirect_uris": [CALLBACK],
        "initiate_login_uri": INITIATE_LOGIN.replace("https:", "http:")})
    report.must(answer.status == 400, "an initiate_login_uri that is not https cannot be registered")
    report.must("initiate_login_uri" in answer.json()["error_description"], "the refusal names it")
    report.not_applicable("needs dynamic registration; registering by the administration API is refused")
