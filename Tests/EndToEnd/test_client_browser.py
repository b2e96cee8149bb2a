"""The JavaScript library in a browser, as a page's own module: no bundle, nothing of Node."""

import re
import subprocess
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

import instance
from browsers import NEEDS_CHROMIUM
from pages import assert_signed_in, text_of
from servers import Nginx
from waiting import wait

pytestmark = NEEDS_CHROMIUM

PAGE = """<!doctype html><meta charset="utf-8"><title>A page of the website</title><p id="said"></p>
<script type="module">
import { Drawbridge, DrawbridgeError } from "./drawbridge.mjs";
const { bearer, path } = JSON.parse(decodeURIComponent(location.hash.slice(1)));
history.replaceState(null, "", location.pathname);
const said = document.getElementById("said");
try {
    const link = await new Drawbridge({ issuer: location.origin }).openURL(path, { bearer });
    location.assign(link.url);
} catch (error) {
    said.textContent = error instanceof DrawbridgeError ? `${error.code}: ${error.message}` : `untyped: ${error}`;
}
</script>
"""


def copy_as_the_page_says(folder: Path):
    """The one line of the library's page for a page without a bundler."""
    library = instance.ROOT / "clients/js"
    [line] = re.findall(r"^cp -r .*", (library / "README.md").read_text(), re.M)
    assert " assets/ " in line
    here = line.replace("../drawbridge/clients/js", str(library)).replace(" assets/ ", f" {folder} ")
    subprocess.run(["bash", "-c", here], check=True)


@pytest.fixture(scope="module")
def website():
    """One origin: the server, and a page of the website with the library beside it."""
    with ExitStack() as stack:
        port, listen = instance.free_port(), instance.free_port()
        demo = instance.Demo("--no-limits", "--issuer", f"http://127.0.0.1:{port}", port=listen)
        stack.callback(demo.stop)
        nginx = stack.enter_context(closing(Nginx(f"""
types {{ text/html html; text/javascript mjs; }}
server {{
    listen 127.0.0.1:{port};
    proxy_set_header Host $http_host;
    location /shop/ {{ alias shop/; }}
    location / {{ proxy_pass http://127.0.0.1:{listen}; }}
}}
""", port)))
        (nginx.folder / "shop").mkdir()
        (nginx.folder / "shop/page.html").write_text(PAGE)
        copy_as_the_page_says(nginx.folder / "shop")
        demo.website = f"http://127.0.0.1:{port}"
        yield demo


def go(browser, website, path: str, bearer: str):
    browser.get(f'{website.website}/shop/page.html#{{"path":"{path}","bearer":"{bearer}"}}')


def test_a_page_opens_another_signed_in_by_a_backends_bearer(website, open_browser):
    browser = open_browser()
    go(browser, website, "/contacts", website.bearer("alice"))
    assert_signed_in(browser, "alice")


def test_a_page_is_told_what_to_do_about_a_refusal(website, open_browser):
    browser = open_browser()
    go(browser, website, "/nowhere", website.bearer("alice"))
    wait(browser, 20).until(lambda it: "refused: " in text_of(it))
    assert "return_paths" in text_of(browser)
