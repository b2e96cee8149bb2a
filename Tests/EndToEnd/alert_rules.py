"""The alerts of deploy/monitoring/drawbridge-alerts.yaml, by what they are about."""

import re

import yaml

import instance

RULES = [rule for group in yaml.safe_load((instance.ROOT / "deploy/monitoring/drawbridge-alerts.yaml").read_text())["groups"]
         for rule in group["rules"]]


def alerts_about(metric: str) -> list[str]:
    """The alerts whose expression names this metric."""
    return [rule["alert"] for rule in RULES if metric in rule["expr"]]


def alerts_about_part(part: str) -> list[str]:
    """The alerts that a degraded part sets off, whether they name it or name only others that they leave out."""
    labels = {rule["alert"]: re.search(r'drawbridge_degraded{part(=~|!~|!=|=)"([^"]+)"}', rule["expr"]).groups()
              for rule in RULES if "drawbridge_degraded" in rule["expr"]}
    return [alert for alert, (sign, named) in labels.items() if (part in named.split("|")) == (sign in ("=", "=~"))]
