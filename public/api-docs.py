"""Writes a page of /api/docs from a description of the API: plain HTML, so that it needs no script.

`api-docs.py api` and `api-docs.py console` read what api-description.py writes, and write to standard output what stands
in the page's <main>.
"""

import html
import json
import sys
from urllib.parse import urlencode

METHODS = ("get", "post", "put", "patch", "delete")

HEADS = {
    "api": '<h1>The API</h1><p>{summary} What programs call and visitors see, what may be sent and what comes back. '
           'For programs: <a href="/openapi.json">openapi.json</a>; errors: <a href="/errors">all codes</a>; apart from it: '
           '<a href="/api/docs/console">the pages of the console</a>.</p>',
    "console": '<h1>The console’s pages</h1><p>{summary} For tools: <a href="/openapi-console.json">openapi-console.json</a>. '
               'Apart from them: <a href="/api/docs">the API</a>.</p>',
}


def text(value):
    """A description as HTML: `code` is the one mark that it has."""
    parts = html.escape(" ".join(str(value).split())).split("`")
    return "".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts))


def kind(schema):
    """What a schema is, in a word or two."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f'<a href="#object-{name}">{name}</a>'
    for word in ("oneOf", "anyOf"):
        if word in schema:
            return " or ".join(dict.fromkeys(kind(choice) for choice in schema[word]))
    if "const" in schema:
        return f"<code>{html.escape(json.dumps(schema['const']))}</code>"
    if "enum" in schema:
        return " or ".join(f"<code>{html.escape(json.dumps(word))}</code>" for word in schema["enum"])
    name = schema.get("type", "anything")
    name = " or ".join(name) if isinstance(name, list) else name
    if name == "array":
        return f"list of {kind(schema.get('items', {}))}"
    bounds = []
    if "minimum" in schema or "maximum" in schema:
        bounds.append(f"{schema.get('minimum', '…')} to {schema.get('maximum', '…')}")
    if "maxLength" in schema:
        bounds.append(f"at most {schema['maxLength']} characters")
    return ", ".join([html.escape(schema.get("format", name) if name == "string" else name), *bounds])


def row(name, schema, *, note="", description=None):
    said = description or schema.get("description") or schema.get("x-untyped")
    head = f"<dt><code>{html.escape(name)}</code> <span class=\"small quiet\">{kind(schema)}{note}</span></dt>"
    return f"<div>{head}<dd>{text(said) if said else ''}{members(schema)}</dd></div>"


def members(schema):
    """The members of an object, and of what is in it, as nested lists."""
    if "oneOf" in schema and any("properties" in choice for choice in schema["oneOf"]):
        return "".join(members(choice) for choice in schema["oneOf"])
    if schema.get("type") == "array":
        return members(schema.get("items", {}))
    required = schema.get("required", [])
    rows = [row(name, child, note=", required" if name in required else "")
            for name, child in schema.get("properties", {}).items()]
    return f'<dl class="members">{"".join(rows)}</dl>' if rows else ""


def content(described):
    """The bodies of a request or an answer: type, members, example."""
    out = []
    for media_type, body in described.get("content", {}).items():
        schema = body.get("schema", {})
        out.append(f'<p><code>{html.escape(media_type)}</code> <span class="quiet">{kind(schema)}</span></p>')
        out.append(members(schema))
        if "example" in body:
            is_form = media_type == "application/x-www-form-urlencoded"
            shown = urlencode(body["example"]) if is_form else json.dumps(body["example"], indent=2, ensure_ascii=False)
            out.append(f'<pre class="example">{html.escape(shown)}</pre>')
    return "".join(out)


def followed(document, node):
    while "$ref" in node:
        target = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def answers(document, operation):
    out = []
    for status, answer in sorted(operation["responses"].items()):
        shared = "$ref" in answer
        answer = followed(document, answer)
        # What all errors look like is said once, among the objects.
        body = "" if shared else content(answer)
        out.append(f"<div><dt><code>{html.escape(status)}</code></dt><dd>{text(answer['description'])}{body}</dd></div>")
    return f'<h3>Answers</h3><dl class="members">{"".join(out)}</dl>'


def operation(document, path, method, described):
    name = described["operationId"]
    parts = [f'<p class="anchor" id="{name}">{text(described["description"])}</p>']
    parameters = [followed(document, parameter) for parameter in described.get("parameters", [])]
    if parameters:
        rows = [row(parameter["name"], parameter.get("schema", {}), description=parameter.get("description"),
                    note=f", {parameter['in']}" + (", required" if parameter.get("required") else ""))
                for parameter in parameters]
        parts.append(f'<h3>Parameters</h3><dl class="members">{"".join(rows)}</dl>')
    if "requestBody" in described:
        parts.append(f"<h3>Body</h3>{content(described['requestBody'])}")
    parts.append(answers(document, described))
    head = (f'<span class="method">{method.upper()}</span> <code>{html.escape(path)}</code> '
            f'<span class="quiet">{text(described["summary"])}</span>')
    return f'<details class="operation"><summary>{head}</summary>{"".join(parts)}</details>'


def page(document, which):
    by_tag = {tag["name"]: [] for tag in document["tags"]}
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method in operations:
                by_tag[operations[method]["tags"][0]].append(
                    operation(document, path, method, operations[method]))
    sections = {tag: shown for tag, shown in by_tag.items() if shown}
    # Operations have ids of their own, some of which are the names of sections.
    anchors = {tag: "section-" + tag.replace(" ", "-") for tag in sections}
    listed = "".join(f'<li><a href="#{anchors[tag]}">{html.escape(tag)}</a> '
                     f'<span class="quiet small">{len(shown)}</span></li>' for tag, shown in sections.items())
    out = [f'<section class="card api">{HEADS[which].format(summary=text(document["info"]["summary"]))}'
           f'<nav aria-label="Sections"><ul class="sections">{listed}'
           '<li><a href="#section-objects">objects</a></li></ul></nav>'
           "</section>"]
    for tag, shown in sections.items():
        out.append(f'<section class="card api" id="{anchors[tag]}"><h2>{html.escape(tag)}</h2>{"".join(shown)}</section>')
    objects = "".join(
        f'<h3 class="object" id="object-{name}">{name}</h3>'
        + (f"<p>{text(schema['description'])}</p>" if "description" in schema else "")
        + (members(schema) or f'<p class="quiet">{kind(schema)}</p>')
        for name, schema in document["components"]["schemas"].items())
    out.append(f'<section class="card api" id="section-objects"><h2>Objects</h2>{objects}</section>')
    return "\n".join(out)


if __name__ == "__main__":
    sys.stdout.write(page(json.load(sys.stdin), sys.argv[1]))
