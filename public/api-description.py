"""Writes one of the two descriptions that the service serves, as JSON, out of Config/openapi.yaml.

`api-description.py api` has what programs call and visitors see, `api-description.py console` the pages and forms of the
administration console. The file is one, since both share their objects; each part has those alone that it refers to.
"""

import json
import re
import sys

import yaml

CONSOLE = "console"
METHODS = ("get", "post", "put", "patch", "delete")


def part(document, which):
    """The document with the operations of one part, and what these refer to."""
    paths = {path: item for path, item in document["paths"].items() if is_console(item) == (which == CONSOLE)}
    tags = {tag for operation in operations(paths) for tag in operation["tags"]}
    out = {**document, "paths": paths, "tags": [tag for tag in document["tags"] if tag["name"] in tags]}
    if which == CONSOLE:
        out["info"] = {**document["info"], "title": "Drawbridge's console", "summary": "The pages of the administration "
                       "console and their forms, which browsers send. Programs use the administration API instead."}
    out["components"] = components(out)
    return out


def operations(paths):
    return [item[method] for item in paths.values() for method in METHODS if method in item]


def is_console(item):
    (is_ours,) = {operation["tags"] == [CONSOLE] for operation in operations({"": item})}
    return is_ours


def components(document):
    """The components that the paths refer to, directly or through others."""
    everything = document["components"]
    wanted, seen = references(document["paths"]), set()
    schemes = {name for operation in operations(document["paths"]) for choice in operation["security"] for name in choice}
    while wanted:
        section, name = wanted.pop()
        seen.add((section, name))
        wanted |= references(everything[section][name]) - seen
    return {section: {name: value for name, value in members.items()
                      if (section, name) in seen or section == "securitySchemes" and name in schemes}
            for section, members in everything.items()}


def references(node):
    return set(re.findall(r'"#/components/(\w+)/(\w+)"', json.dumps(node)))


if __name__ == "__main__":
    json.dump(part(yaml.safe_load(sys.stdin), sys.argv[1]), sys.stdout, separators=(",", ":"))
