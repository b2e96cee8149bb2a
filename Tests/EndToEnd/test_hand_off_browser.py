"""Three domains and one sign-in in Chromium, which sends no cookie to a third party (contract §4.6)."""

from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

import instance
import tls
from browsers import CHROMEDRIVER, CHROMIUM, NEEDS_CHROMIUM
from pages import text_of
from proxies import Caddy, HAProxy, Website
from servers import Nginx
from waiting import Chromium

pytestmark = NEEDS_CHROMIUM

PASSWORD = "a password of this test alone"
DOMAINS = ["www.portal.example", "www.other.example", "www.third.test"]
OWN = r"^/(login-with-token$|session($|/)|sign-in|assets/|errors/)"


def nginx(node: int, website: int, port: int, certificate) -> Nginx:
    return Nginx(f"""
server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {certificate[0]};
    ssl_certificate_key {certificate[1]};
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    location ~ {OWN} {{ proxy_pass http://127.0.0.1:{node}; }}
    location = /check {{
        internal;
        proxy_pass http://127.0.0.1:{node}/auth/check;
        proxy_pass_request_body off;
        proxy_set_header Content-Length "";
        proxy_set_header Host $http_host;
    }}
    location / {{
        auth_request /check;
        auth_request_set $subject $upstream_http_x_auth_subject;
        error_page 401 = @sign_in;
        proxy_set_header X-Auth-Subject $subject;
        proxy_set_header Host $http_host;
        proxy_pass http://127.0.0.1:{website};
    }}
    location @sign_in {{ return 303 /session/sign-in?redirect=$request_uri; }}
}}
""", port)


def caddy(node: int, website: int, port: int, certificate) -> Caddy:
    hosts = ", ".join(f"https://{name}:{port}" for name in DOMAINS)
    return Caddy(f"""{{
\tadmin off
\tauto_https disable_redirects
}}
{hosts} {{
\tbind 127.0.0.1
\ttls {certificate[0]} {certificate[1]}
\t@own path_regexp {OWN}
\thandle @own {{
\t\treverse_proxy 127.0.0.1:{node}
\t}}
\thandle {{
\t\troute {{
\t\t\trequest_header -X-Auth-Subject
\t\t\tforward_auth 127.0.0.1:{node} {{
\t\t\t\turi /auth/check?redirect=
\t\t\t\tcopy_headers X-Auth-Subject
\t\t\t}}
\t\t\treverse_proxy 127.0.0.1:{website}
\t\t}}
\t}}
}}
""", port)


def haproxy(node: int, website: int, port: int, certificate) -> HAProxy:
    addresses = {"127.0.0.1:8080": f"127.0.0.1:{node}", "127.0.0.1:3000": f"127.0.0.1:{website}"}
    # The provider is at the portal's own origin here, so its pages are that website's.
    return HAProxy(str(certificate[0]), str(certificate[1]), addresses, port, [f"{name}:{port}" for name in DOMAINS],
                   {r"assets/|errors($|/)|\.well-known/": r"sign-in|assets/|errors($|/)|\.well-known/"})


@pytest.fixture(scope="module", params=[nginx, caddy, haproxy], ids=lambda make: make.__name__)
def origins(request, tmp_path_factory):
    """Where the three websites are; Drawbridge knows them by these names."""
    certificate = tls.certificate(tmp_path_factory.mktemp("certificate"))
    certificate[0].parent.chmod(0o755)
    certificate[1].chmod(0o644)
    port = instance.free_port()
    portal, other, third = [f"https://{name}:{port}" for name in DOMAINS]
    pages = {"client_type": "web", "return_paths": ["/contacts", "/account/*"], "default_return_path": "/contacts"}
    with ExitStack() as running:
        node = instance.Served(
            "trusted_proxies: [127.0.0.1]\npassword: {passes: 1}\n", origin=portal,
            website="portal: true, may_reach: [other, third]", users={"willow": PASSWORD},
            clients=[{"client_id": "other", "public_origin": other, **pages},
                     {"client_id": "third", "public_origin": third, **pages}])
        running.callback(node.stop)
        website = Website()
        running.callback(website.shutdown)
        running.enter_context(request.param(node.port, website.server_port, port, certificate))
        yield portal, other, third


@pytest.fixture
def chromium(tmp_path):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--lang=en",
                     f"--user-data-dir={tmp_path}", "--ignore-certificate-errors", "--test-third-party-cookie-phaseout",
                     "--host-resolver-rules=MAP *.example 127.0.0.1, MAP *.test 127.0.0.1"]:
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"profile.cookie_controls_mode": 1, "profile.block_third_party_cookies": True})
    driver = Chromium(options=options, service=Service(CHROMEDRIVER))
    driver.set_page_load_timeout(60)
    yield driver
    driver.quit()


def sign_in(chromium):
    chromium.find_element(By.NAME, "username").send_keys("willow")
    chromium.find_element(By.NAME, "password").send_keys(PASSWORD)
    chromium.find_element(By.CSS_SELECTOR, "form button[type=submit]").click()


def test_one_sign_in_opens_three_domains_each_on_the_page_that_was_wanted(origins, chromium):
    portal, other, third = origins
    chromium.get(f"{other}/account/1?a=b")
    assert chromium.current_url.startswith(f"{portal}/session/hand-off?"), chromium.current_url
    sign_in(chromium)
    instance.wait_until(lambda: chromium.current_url == f"{other}/account/1?a=b", 30, f"landing: {chromium.current_url}")
    subject = instance.wait_until(lambda: '"x-auth-subject"' in text_of(chromium) and text_of(chromium), 30, "the page")
    chromium.get(f"{third}/account/2")
    assert chromium.current_url == f"{third}/account/2" and "x-auth-subject" in text_of(chromium), "no question any more"
    chromium.get(f"{portal}/contacts")
    assert chromium.current_url == f"{portal}/contacts" and subject


def test_a_link_that_somebody_else_made_asks_first(origins, chromium):
    """Login CSRF with the thief's own link: without the nonce nothing happens by itself, script or no script."""
    portal, other, _ = origins
    chromium.get(f"{portal}/sign-in")
    sign_in(chromium)
    instance.wait_until(lambda: urlsplit(chromium.current_url).path == "/contacts", 30, "the sign-in")
    link = chromium.execute_async_script("""
        const done = arguments[0];
        fetch("/session/hand-off", {method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({client_id: "other", redirect: "/account/3"})})
            .then(answer => answer.json()).then(object => done(object.login_url));""")
    assert link.startswith(f"{other}/login-with-token?")
    chromium.delete_all_cookies()
    chromium.get(link)
    assert urlsplit(chromium.current_url).path == "/login-with-token", "no page of the website yet"
    assert not [cookie for cookie in chromium.get_cookies() if cookie["name"] == "__Host-drawbridge_session"]
    chromium.find_element(By.CSS_SELECTOR, "form button[type=submit]").click()
    instance.wait_until(lambda: chromium.current_url == f"{other}/account/3", 30, f"the click: {chromium.current_url}")


def test_a_frame_of_the_portal_hands_nothing_on(origins, chromium):
    portal, other, _ = origins
    chromium.get(f"{portal}/sign-in")
    sign_in(chromium)
    instance.wait_until(lambda: urlsplit(chromium.current_url).path == "/contacts", 30, "the sign-in")
    chromium.execute_async_script("""
        const done = arguments[0], frame = document.createElement("iframe");
        frame.onload = () => done(); frame.src = "/session/hand-off?client_id=other&state=" + "s".repeat(22);
        document.body.append(frame);""")
    chromium.get(f"{other}/session")
    assert '"authenticated":false' in text_of(chromium)
