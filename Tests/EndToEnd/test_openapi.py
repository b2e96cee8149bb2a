"""The API's own description at /openapi.json against the running server."""

import json

import pytest
import yaml

import instance


@pytest.fixture(scope="module")
def description(demo):
    answer = demo.send("GET", "/openapi.json")
    assert answer.status == 200 and answer.header("Content-Type") == "application/json"
    return json.loads(answer.body)


def test_the_server_serves_the_file(description):
    assert description == yaml.safe_load((instance.ROOT / "Config" / "openapi.yaml").read_text())


def test_every_described_address_takes_what_is_described(demo, description):
    for path, operations in description["paths"].items():
        # One answers every method alike, others are there only where they are configured.
        if path == "/auth/check" or "x-configured" in operations:
            continue
        answer = demo.send("OPTIONS", path.replace("{", "").replace("}", ""))
        assert answer.status == 204, path
        allowed = {method.strip().lower() for method in answer.header("Allow").split(",")}
        assert set(operations) <= allowed, (path, allowed)
        assert allowed - {"options", "head"} <= set(operations), (path, allowed)


def test_every_reference_leads_somewhere(description):
    def walk(node):
        if isinstance(node, dict):
            if "$ref" in node:
                target = description
                for part in node["$ref"].removeprefix("#/").split("/"):
                    target = target[part]
            for child in node.values():
                walk(child)
        elif isinstance(node, list):
            for child in node:
                walk(child)

    walk(description)
    identifiers = [operation["operationId"] for path in description["paths"].values() 
                   for operation in path.values() if isinstance(operation, dict)]
    assert len(identifiers) == len(set(identifiers))
