"""The chart in `deploy/helm`, read and rendered by Helm's own library, and held against `deploy/kubernetes`."""

import copy
import re

import helm_python as helm
import pytest
import yaml

import instance
from deployment import DEPLOY, OTHERS, OWN, admitted, check_config, kubernetes

CHART = DEPLOY / "helm/drawbridge"
#: What has to be set, as the page of operations says.
[VALUES] = [yaml.safe_load(block) for block in re.findall(
    r"```yaml\n(# values\.yaml.*?)```", (instance.ROOT / "docs/operations.md").read_text(), re.DOTALL)]


def changed(*path_and_value) -> dict:
    """The values with one of them changed."""
    *path, last, value = path_and_value
    values = copy.deepcopy(VALUES)
    place = values
    for name in path:
        place = place.setdefault(name, {})
    place[last] = value
    return values


def render(values: dict = VALUES, name: str = "drawbridge") -> dict[str, dict]:
    with helm.Chart.load(CHART) as chart:
        files = chart.render(values, name=name, namespace="drawbridge")
    documents = [document for path, text in files.items() if path.endswith(".yaml")
                 for document in yaml.safe_load_all(text) if document]
    return {f"{document['kind']}/{document['metadata']['name']}": document for document in documents}


def settings(rendered: dict[str, dict], name: str = "drawbridge") -> str:
    return rendered[f"ConfigMap/{name}"]["data"]["drawbridge.yaml"]


def test_helm_finds_nothing_wrong_with_the_chart():
    report = helm.lint(CHART, VALUES, strict=True)
    assert report["errors"] == []
    # An icon would be for catalogues.
    assert [message["error"] for message in report["messages"] if message["severity"] != 1] == []
    with helm.Chart.load(CHART) as chart:
        version = re.search(r'text = "([^"]+)"', (instance.ROOT / "Sources/drawbridge/Service/Version.swift").read_text())
        assert chart.metadata["appVersion"] == version[1]


def alike(value, known: dict):
    """A document without what is a chart's own: its labels, its fingerprint of the settings, names of images."""
    if isinstance(value, dict):
        own = ("app.kubernetes.io/instance", "app.kubernetes.io/version", "app.kubernetes.io/managed-by", "helm.sh/chart",
               "checksum/settings", "imagePullPolicy", "namespace")
        return {name: alike(inner, known) for name, inner in value.items() if name not in own}
    if isinstance(value, list):
        return [alike(inner, known) for inner in value]
    return known.get(value, value) if isinstance(value, str) else value


def test_the_chart_makes_what_the_kubernetes_folder_holds():
    rendered, plain = render(changed("settings", "redis", {"url": "rediss://redis.example.com:6379"})), kubernetes()
    # kustomize names the settings by what is in them.
    known = {kind.removeprefix("ConfigMap/"): "drawbridge" for kind in plain if kind.startswith("ConfigMap/")}
    known["registry.example.com/drawbridge:0.1.0"] = "drawbridge"
    plain = {kind: document for kind, document in plain.items() if not kind.startswith(("Namespace/", "ConfigMap/"))}
    assert set(rendered) == {*plain, "ConfigMap/drawbridge"}
    for kind, document in plain.items():
        ours, theirs = alike(rendered[kind], known), alike(document, known)
        assert ours["spec"] == theirs["spec"], kind
    selector = {"app.kubernetes.io/name": "drawbridge", "app.kubernetes.io/instance": "drawbridge"}
    assert rendered["StatefulSet/drawbridge"]["spec"]["selector"]["matchLabels"] == selector
    assert not any(kind.startswith("Secret/") for kind in rendered), "secrets are not made here"


def clients_of(text: str) -> dict[str, dict]:
    return {client["client_id"]: client for client in yaml.safe_load(text)["clients"]}


def test_the_pages_values_and_the_kubernetes_folder_have_the_same_clients():
    assert clients_of(settings(render())) == clients_of((DEPLOY / "kubernetes/drawbridge.yaml").read_text())


@pytest.mark.parametrize("proxy", ["ingress-nginx.yaml", "traefik.yaml"])
def test_the_website_that_a_proxy_names_has_an_origin_by_which_the_check_knows_it(proxy):
    """Without one the check is 400 for everybody, and nginx makes 500 of that."""
    named = set(re.findall(r"/auth/check\?website=(\w+)", (DEPLOY / proxy).read_text()))
    assert named
    for text in [settings(render()), (DEPLOY / "kubernetes/drawbridge.yaml").read_text()]:
        known = {name for name, client in clients_of(text).items() if "public_origin" in client}
        assert named <= known


def test_who_meets_a_check_about_an_unknown_website_finds_the_logs_words_in_the_troubleshooting():
    source = (instance.ROOT / "Sources/BridgeHTTP/Session/CheckedWebsite.swift").read_text()
    [words] = re.findall(r'logger\.error\(\s*"([^"]+)"', source)
    page = (instance.ROOT / "docs/operations.md").read_text()
    assert words in page.partition("## Troubleshooting")[2].partition("\n## ")[0]


def test_the_service_accepts_the_settings_that_the_chart_writes(tmp_path):
    values = changed("settings", "limits", {"tracked_keys": 1_000_000})
    values["settings"]["redis"] = {"url": "rediss://redis.example.com:6379"}
    file = tmp_path / "drawbridge.yaml"
    file.write_text(settings(render(values)))
    (tmp_path / "database").write_text("postgres://drawbridge:PASSWORD@db.example.com/drawbridge")
    (tmp_path / "redis-password").write_text("PASSWORD")
    for name in ["database", "redis-password"]:
        (tmp_path / name).chmod(0o600)
    report = check_config(file, {"DRAWBRIDGE_NODE": "drawbridge-0"}, "--secrets-directory", str(tmp_path),
                          "--redis-password-file", str(tmp_path / "redis-password"))
    assert "data_directory: /var/lib/drawbridge" in report and "limits.tracked_keys: 1000000" in report
    assert "PASSWORD" not in report


@pytest.mark.parametrize("path_and_value, said", [
    (("settings", "trusted_proxies", ["10.0.0.0/8"]), "trusted_proxies"),
    (("settings", "trusted_proxies", ["fd00::/8"]), "trusted_proxies"),
    (("settings", "trusted_proxies", []), "trusted_proxies"),
    (("settings", "public_origin", "http://www.example.com"), "public_origin"),
    (("settings", "public_origin", "https://www.example.com/"), "public_origin"),
    (("settings", "listen", "0.0.0.0:80"), "listen"),
    (("settings", "database", "postgres://u:p@db.example.com/x"), "database"),
    (("settings", "redis", {"url": "rediss://:secret@redis.example.com"}), "url"),
    (("settings", "issuer", "https://www.example.com"), "settings.issuer must be an origin of its own"),
    (("settings", "admin", {}), "settings.admin.origin must be an origin of its own"),
    (("secret", "name", ""), "name"),
    (("secret", "files", ["master-key"]), "files"),
    (("image", "repository", ""), "repository"),
    (("image", "digest", "sha256:abc"), "digest"),
    (("replicas", 0), "replicas"),
    (("budget", "maxUnavailable", 0), "maxUnavailable"),
    (("networkPolicy", "enabled", "false"), "enabled"),
    (("httpRoute", "enabled", True), "parentRefs"),
    (("httpRoute", "parentRefs", [{"namespace": "gateways"}]), "name"),
    (("serviceMonitor", "interval", "often"), "interval"),
    (("securityContext", {}), "securityContext"),
])
def test_values_that_are_unsafe_or_unknown_are_refused_by_name(path_and_value, said):
    with pytest.raises(helm.HelmError, match=re.escape(said)):
        render(changed(*path_and_value))


def test_one_origin_for_all_takes_a_word_of_its_own():
    values = changed("settings", "issuer", "https://www.example.com")
    assert "issuer: https://www.example.com" in settings(render({**values, "sharedOrigin": True}))


def test_a_change_of_the_settings_rolls_the_nodes_and_nothing_else_does():
    def fingerprint(values: dict) -> str:
        template = render(values)["StatefulSet/drawbridge"]["spec"]["template"]
        return template["metadata"]["annotations"]["checksum/settings"]

    assert fingerprint(VALUES) == fingerprint(changed("replicas", 5))
    assert fingerprint(VALUES) != fingerprint(changed("settings", "site_name", "Example"))


def test_names_of_a_long_release_leave_room_for_what_kubernetes_appends():
    for name in ["shop", "drawbridge", "a" * 53]:
        rendered = render(name=name)
        [pods] = [document for kind, document in rendered.items() if kind.startswith("StatefulSet/")]
        # The pods' label controller-revision-hash has the set's name and ten digits more.
        assert len(pods["metadata"]["name"]) <= 52
        assert f"Service/{pods['spec']['serviceName']}" in rendered


def test_the_policy_and_the_scrape_notes_can_be_left_to_others():
    rendered = render({**changed("networkPolicy", "enabled", False), "scrapeAnnotations": False})
    assert not any(kind.startswith("NetworkPolicy/") for kind in rendered)
    annotations = rendered["StatefulSet/drawbridge"]["spec"]["template"]["metadata"]["annotations"]
    assert set(annotations) == {"checksum/settings"}


def test_the_policy_admits_the_proxies_that_the_settings_believe_even_from_outside_of_any_namespace():
    proxies = ["192.0.2.10", "198.51.100.0/28", "2001:db8::7", "2001:db8:1::/64"]
    policy = render(changed("settings", "trusted_proxies", proxies))["NetworkPolicy/drawbridge"]
    assert admitted(policy) == ["192.0.2.10/32", "198.51.100.0/28", "2001:db8::7/128", "2001:db8:1::/64"]


def routed() -> dict:
    return changed("httpRoute", {"enabled": True, "parentRefs": [{"name": "public", "namespace": "gateways"}]})


def takes(rule: dict, path: str) -> bool:
    tests = {"Exact": str.__eq__, "PathPrefix": lambda path, p: path == p or path.startswith(p.rstrip("/") + "/")}
    return any(tests[match["path"]["type"]](path, match["path"]["value"]) for match in rule["matches"])


def backends(route: dict, path: str) -> list[tuple[str, int]] | None:
    """Where a path leads: to the longest that matches, an exact one before all others."""
    matching = [(match["path"]["type"] == "Exact", len(match["path"]["value"]), number)
                for number, rule in enumerate(route["spec"]["rules"]) for match in rule["matches"]
                if takes({"matches": [match]}, path)]
    if not matching:
        return None
    return [(one["name"], one["port"]) for one in route["spec"]["rules"][max(matching)[2]]["backendRefs"]]


def test_routes_of_a_gateway_lead_to_the_service_and_keep_the_check_from_outside():
    values = routed()
    # Beside the one that is always there.
    values["settings"]["redemption_paths"] = ["/user/login-with-token.php"]
    rendered = render(values)
    ours, website = rendered["HTTPRoute/drawbridge"], rendered["HTTPRoute/drawbridge-at-the-website"]
    for route in [ours, website]:
        assert route["apiVersion"] == "gateway.networking.k8s.io/v1"
        assert route["spec"]["parentRefs"] == [{"name": "public", "namespace": "gateways"}]
    assert ours["spec"]["hostnames"] == ["auth.example.com", "admin.example.com"]
    assert website["spec"]["hostnames"] == ["www.example.com"]
    service = [("drawbridge", rendered["Service/drawbridge"]["spec"]["ports"][0]["port"])]
    for path in ["/", "/oauth/token", "/admin/", "/auth/checked"]:
        assert backends(ours, path) == service, path
    assert backends(ours, "/auth/check") == []
    assert [path for path in OWN if backends(website, path) != service] == []
    assert [path for path in OTHERS if backends(website, path) is not None] == []


def test_one_host_for_provider_and_console_is_routed_once():
    values = routed()
    values["settings"]["admin"] = {"origin": "https://auth.example.com"}
    assert render(values)["HTTPRoute/drawbridge"]["spec"]["hostnames"] == ["auth.example.com"]


def test_a_shared_origin_is_routed_by_nobody_but_its_owner():
    with pytest.raises(helm.HelmError, match="httpRoute.enabled takes origins of their own"):
        render({**routed(), "sharedOrigin": True})


def test_the_operator_of_prometheus_scrapes_every_node_once():
    rendered = render(changed("serviceMonitor", {
        "enabled": True, "labels": {"release": "prometheus", "app.kubernetes.io/name": "other"}}))
    monitor = rendered["ServiceMonitor/drawbridge"]
    [endpoint] = monitor["spec"]["endpoints"]
    assert endpoint == {"port": "management", "path": "/metrics", "interval": "30s"}
    assert monitor["spec"]["namespaceSelector"] == {"matchNames": ["drawbridge"]}
    assert monitor["metadata"]["labels"]["release"] == "prometheus"
    assert monitor["metadata"]["labels"]["app.kubernetes.io/name"] == "drawbridge"
    chosen = monitor["spec"]["selector"]["matchLabels"].items()
    [scraped] = [document for kind, document in rendered.items() if kind.startswith("Service/")
                 and chosen <= document["metadata"]["labels"].items()
                 and any(port["name"] == "management" for port in document["spec"]["ports"])]
    assert scraped["metadata"]["name"] == "drawbridge-nodes"
    annotations = rendered["StatefulSet/drawbridge"]["spec"]["template"]["metadata"]["annotations"]
    assert set(annotations) == {"checksum/settings"}, "or it were scraped twice"


def test_a_digest_goes_before_a_tag_and_labels_of_the_pods_do_not_change_whose_they_are():
    digest = "sha256:" + "0" * 64
    values = {**changed("image", "digest", digest), "podLabels": {"app.kubernetes.io/name": "other", "team": "identity"}}
    pod = render(values)["StatefulSet/drawbridge"]["spec"]["template"]
    assert pod["spec"]["containers"][0]["image"] == f"registry.example.com/drawbridge@{digest}"
    assert pod["metadata"]["labels"]["app.kubernetes.io/name"] == "drawbridge"
    assert pod["metadata"]["labels"]["team"] == "identity"


def test_the_page_names_every_value():
    page = (instance.ROOT / "docs/operations.md").read_text().split("## Helm", 1)[1].split("\n## ", 1)[0]
    with helm.Chart.load(CHART) as chart:
        for name, default in chart.values.items():
            inner = [f"`{name}.{key}`" for key in default] if isinstance(default, dict) and default else [f"`{name}`"]
            assert f"`{name}`" in page or all(one in page for one in inner), name
        assert chart.schema["properties"].keys() - {"global"} == chart.values.keys()
