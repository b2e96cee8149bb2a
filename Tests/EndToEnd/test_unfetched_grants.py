"""What a browser has granted and nobody has fetched yet: it stays as strong as it was, and ends with everything else."""

import base64
import json
import secrets
from urllib.parse import urlencode

import instance
import oauth
import signing
import totp
import wire
from accounts import PASSWORD, somebody
from devices import GRANT, Device, Visitor
from second_factor import enrolled

TOOL_REDIRECT = "https://tool.example.com/cb"
PLACES = "/account/devices"


def form_with(page: wire.Answer, *names: str) -> int:
    """The number of the form that has these fields."""
    forms = oauth.Forms(page.text).forms
    return next(number for number, form in enumerate(forms) if all(name in form["fields"] for name in names))


def raise_to_two_factors(browser: Visitor, code: str):
    """The user is asked for the second factor alone, and shows it."""
    page = browser.request("GET", "/oauth/authorize?" + urlencode({
        "response_type": "code", "client_id": "tool", "redirect_uri": TOOL_REDIRECT, "scope": "openid",
        "state": "s", "code_challenge": signing.challenge(secrets.token_urlsafe(48)), "code_challenge_method": "S256",
        "claims": json.dumps({"id_token": {"acr": {"essential": True, "value": "aal2"}}})}))
    while page.status == 303:
        page = browser.request("GET", page.header("Location").removeprefix(browser.demo.base))
    raised = browser.submit(page, form_with(page, "code", "pending"), code=code)
    assert raised.status == 303, raised.text


def test_attack_what_a_thief_was_granted_before_the_second_factor_is_worth_no_more_after_it(serve):
    secret, digest = signing.client_secret()
    tool = {
        "client_id": "tool", "client_type": "web", "first_party": True, "client_secret_digest": digest,
        "redirect_uris": [TOOL_REDIRECT], "scope": "openid admin", "grant_types": ["authorization_code"]}
    television = {"client_id": "tv", "client_type": "native", "grant_types": [GRANT], "scope": "openid profile"}
    server = serve(clients=[tool, television], users={"root": PASSWORD})
    server.facts = {"issuer": server.base}
    server.user = lambda name: {"username": name, "password": PASSWORD}
    instance.run("users", "role", "--config", str(server.settings), "root", "admin")
    owner, thief = Visitor(server), Visitor(server)
    owner.visit("/account/second-factor", "root")
    key, _ = enrolled(server, "root")
    thief.cookies = dict(owner.cookies)
    verifier = secrets.token_urlsafe(48)
    code = thief.authorize("root", client="tool", redirect=TOOL_REDIRECT, scope="openid admin", verifier=verifier)
    device = Device(server, client="tv")
    thief.let_in(device, "root")
    raise_to_two_factors(owner, totp.code(key))
    # With a code of after it, the administration is there.
    basic = {"Authorization": "Basic " + base64.b64encode(f"tool:{secret}".encode()).decode()}
    own_verifier = secrets.token_urlsafe(48)
    own = owner.authorize("root", client="tool", redirect=TOOL_REDIRECT, scope="openid admin", verifier=own_verifier)
    reached = {}
    for who, grant, proof in ("owner", own, own_verifier), ("thief", code, verifier):
        tokens = oauth.redeem(server, grant["code"], proof, redirect=TOOL_REDIRECT, headers=basic).json()
        bearer = {"Authorization": f"Bearer {tokens['access_token']}"}
        told = signing.claims_of(tokens["access_token"])
        reached[who] = (told["acr"], told["amr"], server.send("GET", "/api/admin/users", bearer).status)
    assert reached == {"owner": ("aal2", ["pwd", "otp", "mfa"], 200), "thief": ("aal1", ["pwd"], 401)}
    told = signing.claims_of(device.tokens()["access_token"])
    assert (told["acr"], told["amr"]) == ("aal1", ["pwd"])


def test_ending_everything_else_ends_what_could_still_be_fetched(demo):
    user = somebody(demo)
    demo.facts["users"].append(user)
    name = user["username"]
    here, elsewhere = Visitor(demo), Visitor(demo)
    for browser in here, elsewhere:
        browser.visit(PLACES, name)
    device = Device(demo)
    here.let_in(device, name)
    grants = []
    for browser in here, elsewhere:
        verifier = secrets.token_urlsafe(48)
        grants.append((browser.authorize(name, verifier=verifier)["code"], verifier))
    link = demo.issue(user["sub"])["token"]
    page = here.request("GET", PLACES)
    ended = here.submit(page, form_with(page, "what"))
    assert ended.header("Location").endswith("?ended_others"), ended
    assert device.error() == (400, "access_denied")
    for code, verifier in grants:
        assert oauth.error(oauth.redeem(demo, code, verifier)) == (400, "invalid_grant")
    assert demo.redeem(link).status == 400
    assert here.request("GET", PLACES).status == 200, "who ended it stays"
    # What is granted from then on counts.
    verifier = secrets.token_urlsafe(48)
    assert oauth.redeem(demo, here.authorize(name, verifier=verifier)["code"], verifier).status == 200
