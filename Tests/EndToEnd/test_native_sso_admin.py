"""Native SSO settings, device secrets and "your devices" (contract §8)."""

import json
import re

import proofs
import signing
import wire
from admin import admin, form_token, signed_in
from apps import registered
from native import SETTINGS, App, Browser
from wire import cookies


def settings(demo) -> dict:
    return admin(demo, "GET", SETTINGS).json()["settings"]


def test_each_setting_has_its_value_range_and_provenance(start_demo):
    demo = start_demo("--no-limits")
    found = settings(demo)
    assert found["enabled"] == {"value": True, "source": "configuration"}
    assert found["deviceSecretTTLDays"] == {"value": 30, "source": "default", "minimum": 1, "maximum": 90}
    assert found["maxDeviceSecretsPerUser"] == {"value": 10, "source": "default", "minimum": 1, "maximum": 50}
    assert found["maxSecretsBehavior"] == {"value": "revoke_oldest", "source": "default"}
    assert found["rateLimit.maxAttemptsPerMinute"] == {
        "value": 10, "source": "default", "minimum": 1, "maximum": 100}
    assert found["rateLimit.blockDurationMinutes"] == {
        "value": 15, "source": "default", "minimum": 1, "maximum": 60}

    changed = admin(demo, "PUT", SETTINGS, {"deviceSecretTTLDays": 45, "rateLimit": {"maxAttemptsPerMinute": 20}})
    assert changed.status == 200
    assert settings(demo)["deviceSecretTTLDays"] == {"value": 45, "source": "admin", "minimum": 1, "maximum": 90}
    assert settings(demo)["rateLimit.maxAttemptsPerMinute"]["source"] == "admin"
    for bad, field in [({"deviceSecretTTLDays": 91}, "deviceSecretTTLDays"), ({"enabled": "yes"}, "enabled"),
                       ({"rateLimit": {"blockDurationMinutes": 0}}, "rateLimit.blockDurationMinutes")]:
        refused = admin(demo, "PUT", SETTINGS, bad)
        assert (refused.status, refused.json()["error"]) == (400, "invalid_request")
        assert field in refused.json()["error_description"]
    assert "1 to 90" in admin(demo, "PUT", SETTINGS, {"deviceSecretTTLDays": 91}).json()["error_description"]
    assert admin(demo, "PUT", SETTINGS, {"unknown": 1}).status == 400
    assert admin(demo, "DELETE", SETTINGS).status == 200
    assert settings(demo)["deviceSecretTTLDays"]["source"] == "default"
    assert wire.send(demo.base, "GET", SETTINGS).status == 401


def test_the_body_that_sdks_send_is_taken_and_is_the_published_example(start_demo):
    """Authrim's SDKs write the rate limit as an object; `test_openapi.py` holds the example against its schema."""
    demo = start_demo("--no-limits")
    published = demo.send("GET", "/openapi.json").json()["paths"][SETTINGS]["put"]["requestBody"]["content"]
    body = {
        "enabled": True, "deviceSecretTTLDays": 30, "maxDeviceSecretsPerUser": 10, "maxSecretsBehavior": "revoke_oldest",
        "allowCrossClientNativeSSO": False, "rateLimit": {"maxAttemptsPerMinute": 10, "blockDurationMinutes": 15}}
    assert published["application/json"]["example"] == body
    changed = admin(demo, "PUT", SETTINGS, body)
    assert changed.status == 200, changed.text
    assert {name for name, field in settings(demo).items() if field["source"] == "admin"} == {
        *(body.keys() - {"rateLimit"}), "rateLimit.maxAttemptsPerMinute", "rateLimit.blockDurationMinutes"}


def test_native_sso_settings_take_effect_at_the_next_request(start_demo):
    demo = start_demo("--no-limits")
    app = App(demo)
    app.sign_in()
    assert app.native_sso().status == 200
    admin(demo, "PUT", SETTINGS, {"allowCrossClientNativeSSO": False})
    denied = app.native_sso()
    assert (denied.status, denied.json()["error"]) == (400, "access_denied")
    assert app.native_sso("demo-app").status == 200, "its own"
    admin(demo, "PUT", SETTINGS, {"enabled": False})
    assert app.native_sso().status == 400
    assert "device_secret" not in App(demo).sign_in()


def test_past_the_limit_of_devices_the_oldest_goes_or_the_new_one(start_demo):
    demo = start_demo("--no-limits")
    admin(demo, "PUT", SETTINGS, {"maxDeviceSecretsPerUser": 2})
    apps = [App(demo) for _ in range(3)]
    apps[0].sign_in()
    apps[1].sign_in()
    assert apps[0].refresh(device_secret=apps[0].tokens["device_secret"]).status == 200, "it is in use"
    apps[2].sign_in()
    assert [app.native_sso().status for app in apps] == [200, 400, 200]
    admin(demo, "PUT", SETTINGS, {"maxSecretsBehavior": "reject"})
    late = App(demo)
    assert "device_secret" not in late.sign_in()
    assert late.refresh().status == 200
    events = admin(demo, "GET", "/api/admin/audit-events?type=device_secret.withheld")
    (event,) = events.json()["items"]
    assert (event["reason"], event["client_id"]) == ("too_many_devices", "demo-app"), "once, not with each refresh"


def test_attack_an_app_by_itself_ends_no_other_apps_device_and_takes_no_place_of_one(start_demo):
    demo = start_demo("--no-limits")
    admin(demo, "PUT", SETTINGS, {"maxDeviceSecretsPerUser": 2})
    app, other = App(demo), App(demo, registered(demo, native_sso_enabled=True, first_party=False))
    app.sign_in()
    other.sign_in()
    for _ in range(3):
        opened = other.native_sso(other.client_id)
        assert opened.status == 200, opened.text
        proof = proofs.Key().proof("POST", f"{demo.base}/oauth/token")
        renewed = other.token({"DPoP": proof}, grant_type="refresh_token", refresh_token=opened.json()["refresh_token"])
        assert renewed.status == 200 and "device_secret" not in renewed.json(), renewed.text
    proof = proofs.Key().proof("POST", f"{demo.base}/oauth/token")
    renewed = other.token({"DPoP": proof}, grant_type="refresh_token", refresh_token=other.tokens["refresh_token"])
    assert renewed.status == 200 and "device_secret" in renewed.json(), "in the place of its own"
    assert app.native_sso("demo-app").status == 200
    third = App(demo, registered(demo, native_sso_enabled=True, first_party=False))
    assert "device_secret" in third.sign_in(), "its user is there"
    left = admin(demo, "GET", f"/api/admin/users/{app.user['sub']}/device-secrets").json()["items"]
    assert {device["client_id"] for device in left} == {"demo-app", third.client_id}, "what was used longest ago went"


def test_an_administrator_lists_and_revokes_device_secrets(start_demo):
    demo = start_demo("--no-limits")
    app = App(demo)
    app.sign_in()
    path = f"/api/admin/users/{app.user['sub']}/device-secrets"
    found = admin(demo, "GET", path).json()
    assert found["next_cursor"] is None
    (device,) = found["items"]
    assert (device["client_id"], device["active"], device["device_name"]) == ("demo-app", True, "ExampleApp/3.1")
    assert app.tokens["device_secret"] not in json.dumps(found)
    gone = admin(demo, "DELETE", f"/api/admin/device-secrets/{device['id']}", {"reason": "phone was lost"})
    assert gone.status == 204
    assert app.native_sso().json()["error"] == "invalid_grant"
    assert app.refresh().json()["error"] == "invalid_grant"
    assert admin(demo, "GET", path).json()["items"] == []
    (device,) = admin(demo, "GET", path + "?include_revoked=true").json()["items"]
    assert device["revoke_reason"] == "phone was lost"
    assert admin(demo, "DELETE", "/api/admin/device-secrets/nothing", {}).status == 404
    events = admin(demo, "GET", "/api/admin/audit-events?type=device_secret.revoked").json()["items"]
    assert events[0]["reason"] == "phone was lost"


def test_a_reason_of_500_characters_or_several_lines_does_not_keep_a_device_secret_alive(start_demo):
    """Other providers take such reasons, so clients written for them send these."""
    demo = start_demo("--no-limits")
    for given, kept in [("x" * 500, "x" * 500), ("lost\r\n\tby bob\u0000", "lost   by bob "), ("\u2028理由", " 理由")]:
        app = App(demo)
        app.sign_in()
        path = f"/api/admin/users/{app.user['sub']}/device-secrets"
        (device,) = admin(demo, "GET", path).json()["items"]
        place = f"/api/admin/device-secrets/{device['id']}"
        assert admin(demo, "DELETE", place, {"reason": "x" * 501}).status == 400
        assert app.native_sso().status == 200, "not done"
        gone = admin(demo, "DELETE", place, {"reason": given})
        assert gone.status == 204, gone.text
        assert app.native_sso().json()["error"] == "invalid_grant"
        found = admin(demo, "GET", path + "?include_revoked=true").json()["items"]
        assert [item["revoke_reason"] for item in found if item["id"] == device["id"]] == [kept]
        assert demo.audit("device_secret.revoked")[-1]["reason"] == kept


def test_an_administrators_reason_with_a_secret_in_it_ends_the_device_and_is_written_nowhere(start_demo):
    """Who reacts to a leak quotes what leaked."""
    demo = start_demo("--no-limits")
    app, other = App(demo), App(demo)
    app.sign_in()
    other.sign_in()
    path = f"/api/admin/users/{app.user['sub']}/device-secrets"
    devices = {device["sid"]: device["id"] for device in admin(demo, "GET", path).json()["items"]}
    alive = devices[signing.claims_of(other.tokens["access_token"])["sid"]]
    place = f"/api/admin/device-secrets/{devices[signing.claims_of(app.tokens['access_token'])['sid']]}"
    leaked = [other.tokens[name] for name in ("refresh_token", "access_token", "device_secret")]
    gone = admin(demo, "DELETE", place, {"reason": f"found in a ticket: {leaked[0]}\n{leaked[1][:300]}\n{leaked[2]}"})
    assert gone.status == 204, gone.text
    assert app.native_sso().json()["error"] == "invalid_grant", "it is done all the same"
    assert demo.audit("device_secret.revoked")[-1]["reason"] == "<redacted>"
    found = admin(demo, "GET", path + "?include_revoked=true")
    assert {item["id"]: item.get("revoke_reason") for item in found.json()["items"]}[alive] is None
    logged = json.dumps(demo.audit()) + found.text + demo.output
    # Of the signed token what no other has, which its header is not.
    assert not any(secret in logged for secret in (leaked[0][:30], leaked[1][200:240], leaked[2][:30]))
    assert other.refresh().status == 200, "what was quoted was good"


def test_a_device_that_has_ended_keeps_the_reason_of_its_end(start_demo):
    demo = start_demo("--no-limits")
    app = App(demo)
    app.sign_in()
    path = f"/api/admin/users/{app.user['sub']}/device-secrets"
    (device,) = admin(demo, "GET", path).json()["items"]
    for reason in ["phone was lost", "said twice"]:
        assert admin(demo, "DELETE", f"/api/admin/device-secrets/{device['id']}", {"reason": reason}).status == 204
    (device,) = admin(demo, "GET", path + "?include_revoked=true").json()["items"]
    assert device["revoke_reason"] == "phone was lost"
    assert [event["reason"] for event in demo.audit("device_secret.revoked")] == ["phone was lost"]


def test_the_events_of_what_a_person_sets_and_ends_say_when_that_person_signed_in(start_demo):
    demo = start_demo("--no-limits")
    app = App(demo)
    app.sign_in()
    (device,) = admin(demo, "GET", f"/api/admin/users/{app.user['sub']}/device-secrets").json()["items"]
    person = signed_in(demo)
    headers = {**cookies(person.cookies), "X-CSRF-Token": form_token(person)}
    assert demo.send("PUT", SETTINGS, headers, {"deviceSecretTTLDays": 45}).status == 200
    assert demo.send("DELETE", SETTINGS, headers).status == 200
    assert demo.send("DELETE", f"/api/admin/device-secrets/{device['id']}", headers).status == 204
    events = demo.audit("setting.changed", "device_secret.revoked", "app_session.ended")
    assert len(events) == 4
    for event in events:
        detail = json.loads(event["detail"])
        assert detail["actor"] == "account:admin" and re.match(r"\d{4}-\d\d-\d\dT", detail["signed_in_at"]), event


def test_a_page_of_devices_goes_on_after_one_that_ended_meanwhile(start_demo):
    demo = start_demo("--no-limits")
    apps = [App(demo) for _ in range(3)]
    for app in apps:
        app.sign_in()
    path = f"/api/admin/users/{apps[0].user['sub']}/device-secrets"
    first = admin(demo, "GET", path + "?limit=1").json()
    rest = [device["id"] for device in admin(demo, "GET", path).json()["items"]][1:]
    (shown,) = first["items"]
    assert admin(demo, "DELETE", f"/api/admin/device-secrets/{shown['id']}", {}).status == 204
    onward = admin(demo, "GET", f"{path}?cursor={first['next_cursor']}").json()
    assert [device["id"] for device in onward["items"]] == rest and len(rest) == 2
    assert admin(demo, "GET", path + "?cursor=nobody").status == 400
    assert admin(demo, "GET", path + "?include_revoked=perhaps").status == 400


def test_a_user_sees_and_ends_devices_and_sessions(start_demo):
    demo = start_demo("--no-limits")
    browser = Browser(demo.base)
    app = App(demo)
    app.sign_in(browser=browser)
    other = App(demo)
    other.sign_in()
    page = browser.send("GET", "/account/devices")
    assert page.status == 200
    assert page.text.count('name="kind" value="device"') == 2
    assert "You are here" in page.text and "127.0.0.0/24" in page.text
    # The first form ends everything else at once.
    places = wire.Answer(page.status, page.headers, page.body[page.body.index(b'<ul class="places"'):])
    out = browser.submit(places, "/account/devices/end")
    assert out.status == 303
    page = browser.send("GET", "/account/devices")
    assert page.text.count('name="kind" value="device"') == 1
    out = browser.send("POST", "/account/devices/end", {"Content-Type": wire.FORM}, b"what=others")
    assert out.status == 400 and 'role="alert"' in out.text, "without the form's token nothing happens, and it is said"
    assert browser.send("GET", "/account/devices").text.count('name="kind" value="device"') == 1
    german = wire.send(demo.base, "GET", "/account/devices", {"Accept-Language": "de"})
    assert "Ihre Geräte und Sitzungen" in german.text and "form_token" not in german.text
