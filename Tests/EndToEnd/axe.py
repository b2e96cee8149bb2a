"""axe-core's view of a page, and what it does not see: words that break, boxes that stand outside of their card."""

from pathlib import Path

import selenium_axe_python

from pages import shoot

AXE = (Path(selenium_axe_python.__file__).parent / "axe-core" / "axe.min.js").read_text()
WIDTHS = (375, 1280)
#: What 400 % leaves of a screen (WCAG 2.2, 1.4.10), where buttons may break, but nothing stands outside of its page.
NARROWEST = 320
#: A phone, and how large its text may be made (WCAG 2.2, 1.4.4).
PHONE, LARGE_TEXT = 360, "200%"
#: One of each direction of writing.
LOOKED_AT_IN_FULL = ("en", "ar")
STRANGER = ["/sign-in", "/login-with-token", "/login-with-token?token=x", "/session/logout", "/device", "/signin/phone",
            "/nowhere", "/errors", "/errors/invalid_token", "/errors/invalid_grant", "/account/set-up?link=x",
            "/account/devices", "/self-issued/start", "/admin/sign-in", "/"]
MEMBER = ["/account", "/account/password", "/account/devices", "/account/second-factor", "/account/passkeys",
          "/account/phone-keys", "/account/consents",
          "/session/logout", "/contacts"]
RUN = """
const done = arguments[1];
// What passes is not described: that would take longer than the checks.
const options = {resultTypes: ["violations"], selectors: false, ...arguments[0]};
axe.run(document, options).then((found) => done(found.violations.map((it) =>
    `${it.id}: ${it.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`)),
    (error) => done([String(error)]));
"""
# Nothing stands outside of its page or of its card, no tab, no count and no button of the console breaks, nor any word of a
# button, on a desk every column of a list is in sight, and no text was asked for that the catalogue does not have.
FITS = """
const found = [];
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
if (wide > 0) {
    const right = document.documentElement.clientWidth;
    const out = [...document.querySelectorAll("main *")].filter((it) => it.getBoundingClientRect().right > right + 1);
    found.push(`scrolls sideways by ${wide}: ${out.slice(0, 4).map((it) => `${it.tagName}.${it.className}`)}`);
}
const isWide = document.documentElement.clientWidth > arguments[0];
const kept = ".sections a, table.bars td" + (isWide ? ", body.console .button" : "");
for (const tab of document.querySelectorAll(kept)) {
    const text = document.createRange();
    text.selectNodeContents(tab);
    // What is closed is laid out too, in whatever width.
    if (tab.checkVisibility() && text.getClientRects().length > 1) found.push(`${tab.innerText} breaks`);
}
const words = new Intl.Segmenter(document.documentElement.lang, {granularity: "word"});
for (const button of document.querySelectorAll(".button")) {
    const texts = document.createTreeWalker(button, NodeFilter.SHOW_TEXT);
    while (button.checkVisibility() && texts.nextNode()) {
        for (const {segment, index} of words.segment(texts.currentNode.data)) {
            const word = document.createRange();
            word.setStart(texts.currentNode, index);
            word.setEnd(texts.currentNode, index + segment.length);
            // Where it has a soft hyphen, it may.
            const mayBreak = !segment.trim() || segment.includes("\\u00ad");
            if (!mayBreak && word.getClientRects().length > 1) found.push(`${segment} breaks in ${button.innerText}`);
        }
    }
}
for (const card of document.querySelectorAll(".card")) {
    const edges = card.getBoundingClientRect();
    const parts = document.createTreeWalker(card, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (parts.nextNode()) {
        const part = parts.currentNode, element = part.nodeType === Node.TEXT_NODE ? part.parentElement : part;
        // What scrolls, or is drawn, is wider than what shows it.
        const isInside = part.parentElement.closest(".scroll, pre, svg, select");
        if (isInside || element.closest(".visually-hidden") || !element.checkVisibility()) continue;
        const text = document.createRange();
        text.selectNode(part);
        const {left, right, width} = (part === element ? part : text).getBoundingClientRect();
        if (width && (left < edges.left - 1 || right > edges.right + 1)) {
            found.push(`${part.outerHTML?.slice(0, 80) ?? part.data} is outside of its card`);
        }
    }
}
// What is ticked is a square, however little room its words leave it.
for (const box of document.querySelectorAll("input:is([type=checkbox], [type=radio])")) {
    const {width, height} = box.getBoundingClientRect();
    if (Math.abs(width - height) > 0.5) found.push(`the box ${box.name} is ${width} by ${height}`);
}
for (const list of document.querySelectorAll(".scroll")) {
    const hidden = list.checkVisibility() ? list.scrollWidth - list.clientWidth : 0;
    if (innerWidth >= 1280 && hidden > 0) found.push(`${hidden} of ${list.getAttribute("aria-label")} out of sight`);
}
// What is typed or compared is whole, wherever no keyboard can scroll it.
for (const code of document.querySelectorAll("main pre:not([tabindex])")) {
    const hidden = code.checkVisibility() ? code.scrollWidth - code.clientWidth : 0;
    if (hidden > 0) found.push(`${hidden} of #${code.id} out of sight`);
}
const missing = document.body.innerText.match(/\\b(?:console(?:_[a-z_]+)?|client_fields)\\.[a-z_]+/);
if (missing) found.push(`no text for ${missing[0]}`);
return found;
"""


def look_at_this(browser, path: str, faults: dict, language: str):
    browser.execute_script(AXE)
    for width in (NARROWEST, *WIDTHS):
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
        # Only colours differ by the scheme.
        for scheme, options in [("light", {}), ("dark", {"runOnly": ["color-contrast"]})]:
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": scheme},
                             {"name": "prefers-reduced-motion", "value": "reduce"}]})
            found = []
            if width in WIDTHS and (language in LOOKED_AT_IN_FULL or (width, scheme) == (WIDTHS[0], "light")):
                found += browser.execute_async_script(RUN, options)
            if scheme == "light":
                found += browser.execute_script(FITS, NARROWEST)
            name = path.strip("/").replace("/", "-").replace("?", "-") or "front"
            shoot(browser, f"axe-{language}-{name[:40]}-{width}-{scheme}")
            if found:
                faults[f"{path} {width} {scheme}"] = found
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": PHONE, "height": 900, "deviceScaleFactor": 1, "mobile": True})
    browser.execute_script("document.documentElement.style.fontSize = arguments[0]", LARGE_TEXT)
    found = browser.execute_script(FITS, PHONE)
    shoot(browser, f"axe-{language}-{name[:40]}-{PHONE}-{LARGE_TEXT.rstrip('%')}")
    browser.execute_script("document.documentElement.style.fontSize = ''")
    if found:
        faults[f"{path} {PHONE} {LARGE_TEXT}"] = found
