"""Of the Dynamic OP plan, what concerns a provider without dynamic registration: redirect URIs and rotated keys."""


import pytest

import conditions
import instance
from op import CALLBACK, QUERY, QUERY_CALLBACK, Website, admin

module = pytest.mark.module


@module("oidcc-redirect-uri-query-OK")
def test_oidcc_redirect_uri_query_ok(op, report):
    website = Website(op, report, QUERY)
    landing = website.authorize(website.request(redirect_uri=QUERY_CALLBACK))
    report.must(landing.location.startswith(QUERY_CALLBACK + "&"), "the registered query stays")
    report.must(landing.answer["foo"] == "bar" and "code" in landing.answer, "the code comes beside it")


@pytest.mark.parametrize(("client", "redirect_uri"), [
    pytest.param(QUERY, f"{CALLBACK}?bar=foo", marks=module("oidcc-redirect-uri-query-mismatch")),
    pytest.param("conf-basic-1", QUERY_CALLBACK, marks=module("oidcc-redirect-uri-query-added")),
    pytest.param(QUERY, None, marks=module("oidcc-ensure-redirect-uri-in-authorization-request")),
])
def test_oidcc_redirect_uri_refused(op, report, client, redirect_uri):
    Website(op, report, client).expect_page(redirect_uri=redirect_uri)
    report.review("a picture of the error page")


@module("oidcc-redirect-uri-regfrag")
def test_oidcc_redirect_uri_regfrag(op, report):
    answer = op.send("POST", "/api/admin/clients", admin(op), {
        "client_name": "Fragment", "client_type": "web", "redirect_uris": [f"{CALLBACK}#foobar"]})
    report.must(answer.status == 400, "a redirect URI with a fragment cannot be registered")
    report.not_applicable("needs dynamic registration; registering by the administration API is refused")


@module("oidcc-server-rotate-keys")
def test_oidcc_server_rotate_keys(op, website, report):
    before = op.keys()
    rotated = op.send("POST", "/api/admin/keys/rotate", admin(op), {"reason": "conformance"})
    report.must(rotated.status == 200, "the keys are rotated")
    old = {key["kid"] for key in before}
    after = instance.wait_until(lambda: [key for key in op.keys() if key["kid"] not in old] and op.keys(), 30, "new keys")
    conditions.check_keys(report, after)
    report.should(old <= {key["kid"] for key in after}, "the old keys are gone")
    website.log_in()
