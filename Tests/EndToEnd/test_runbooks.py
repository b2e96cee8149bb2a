"""Whoever is woken by an alert finds what to do: each leads to a section that knows what the alert is about."""

import re

import pytest
import yaml

import instance
from alert_rules import RULES

ROOT = instance.ROOT


def section(address: str) -> str:
    """The text below a heading, by the page's path and the heading's anchor."""
    page, _, anchor = address.partition("#")
    parts = re.split(r"^#+ (.+)$", (ROOT / page).read_text(), flags=re.M)
    found = [text for heading, text in zip(parts[1::2], parts[2::2], strict=True)
             if re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") == anchor]
    assert len(found) == 1, address
    return found[0]


def types(expression: str) -> set[str]:
    """The types of audit events that a rule's expression names."""
    return {kind for text in re.findall(r'\btype=~?"([^"]*)"', expression) for kind in text.split("|")}


@pytest.mark.parametrize("rule", RULES, ids=[rule["alert"] for rule in RULES])
def test_an_alert_leads_to_a_section_that_names_each_type_of_event_that_it_is_about(rule):
    text = section(rule["annotations"]["runbook"])
    assert [kind for kind in types(rule["expr"]) if kind not in text] == []


def test_the_alert_about_tokens_that_are_used_twice_says_which_kind_of_token_it_is():
    [rule] = [rule for rule in RULES if rule["alert"] == "DrawbridgeReplay"]
    assert rule["expr"].startswith("sum by (type) ")
    assert "{{ $labels.type }}" in rule["annotations"]["summary"]
    assert rule["annotations"]["description"].endswith("/admin/events?type={{ $labels.type }}")


# The service's own alerts

def own_alerts() -> dict[str, set[str] | None]:
    """The types of events that each is about; `None` for whatever was refused."""
    folder = ROOT / "Sources/Bridge/Audit"
    event_types = (folder / "Record/AuditEventType.swift").read_text()
    values = dict(re.findall(r'static let (\w+) = Self\(rawValue: "([^"]+)"\)', event_types))
    groups = {f"AuditEventType.{name}": re.findall(r"\.(\w+)", members) for name, members in re.findall(
        r"static let (\w+): Set<Self> = \[([^\]]*)\]", event_types)}
    source = (folder / "Alerting/AlertRule.swift").read_text().partition("package static let window")[0]
    names = {name: raw or name for name, raw in re.findall(r'^ +case (\w+)(?: = "(\w+)")?$', source, re.M)}
    found = {}
    for name, chosen in re.findall(r"case \.(\w+): (.+)$", source, re.M):
        members = groups.get(chosen) or re.findall(r"\.(\w+)", chosen)
        found[names.pop(name)] = {values[member] for member in members} or None
    assert names == {} and len(found) == 5
    return found


OWN = own_alerts()


@pytest.mark.parametrize("name", OWN)
def test_what_the_service_warns_of_by_itself_prometheus_warns_of_too(name):
    if OWN[name] is None:
        assert any('{outcome="failure"}' in rule["expr"] and not types(rule["expr"]) for rule in RULES)
    else:
        assert OWN[name] in [types(rule["expr"]) for rule in RULES]


@pytest.mark.parametrize("name", OWN)
def test_the_page_has_a_row_for_each_alert_of_the_service_with_its_events_and_what_to_do(name):
    [row] = re.findall(rf"^\| `{name}` \| .*\|$", section("docs/operations.md#watch"), re.M)
    _, _, events, what_to_do, _ = row.split("|")
    assert set(re.findall(r"`(\w+\.\w+)`", events)) == (OWN[name] or set())
    [anchor] = re.findall(r"\]\(#([\w-]+)\)", what_to_do)
    text = section(f"docs/operations.md#{anchor}")
    assert [kind for kind in OWN[name] or set() if kind not in text] == []


def test_the_page_shows_what_an_alert_posts_with_every_member():
    source = (ROOT / "Sources/Federation/Delivery/AlertWebhook.swift").read_text()
    [shown] = re.findall(r'```json\n(\{"alert":.*?)```', section("docs/operations.md#watch"), re.S)
    assert list(yaml.safe_load(shown)) == re.findall(r'object\.add\("(\w+)"', source)


# The first command

def test_the_first_command_of_a_runbook_reaches_a_server_that_was_set_up_as_the_pages_say():
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    settings = [*pages, ROOT / "Config/drawbridge.example.yaml", *(ROOT / "deploy").rglob("*.yaml")]
    asked = {port for page in pages
             for port in re.findall(r"curl [^`\n]*127\.0\.0\.1:(\d+)/(?:ready|live)z", page.read_text())}
    listening = {port for file in settings
                 for port in re.findall(r"^ *management_listen: \S+:(\d+)$", file.read_text(), re.M)}
    assert asked == listening and len(asked) == 1
    assert "`management_listen`" in section("docs/operations.md#answers-are-503").partition("| `/readyz` |")[0]
