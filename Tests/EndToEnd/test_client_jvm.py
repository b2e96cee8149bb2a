"""The library for Android and the JVM, compiled for Java 8: the vectors, and its calls at the real server."""

import re
import subprocess

import pytest

import instance
import native
from libraries import HANGS, JAVA, JVM, played, redeemed_as


def test_every_vector_holds_or_has_a_reason(jvm_classes):
    server = subprocess.Popen(
        [instance.binary(), "vectors", "serve", "--vectors", instance.ROOT / "clients/vectors", "--until-input-closes"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=instance.environment())
    try:
        url = instance.next_line(server, HANGS)
        done = subprocess.run(
            [*JAVA, jvm_classes, "drawbridge.client.Vectors", url, JVM / "skips.json"], capture_output=True, text=True,
            timeout=HANGS)
        assert done.returncode == 0, (done.stdout, done.stderr[-6000:])
        assert done.stdout == f"{len(played('jvm'))} cases, 0 failures\n"
    finally:
        server.terminate()
        server.communicate()


def test_every_address_of_a_host_is_tried_and_what_cannot_be_read_leaves_at_the_sign_out(jvm_classes, tmp_path):
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.0.2 localhost\n127.0.0.1 localhost\n")
    done = subprocess.run([JAVA[0], f"-Djdk.net.hosts.file={hosts}", *JAVA[1:], jvm_classes, "drawbridge.client.Beside"],
                          capture_output=True, text=True, timeout=HANGS)
    assert done.returncode == 0, (done.stdout, done.stderr)


@pytest.fixture(scope="module")
def android(jvm_classes, tmp_path_factory):
    """The adapters, against stand-ins: whether the signatures are Android's, only its SDK can say."""
    folder = tmp_path_factory.mktemp("android")
    sources = [str(path) for part in ["android", "android-test", "standins"] for path in sorted((JVM / part).rglob("*.java"))]
    done = subprocess.run(
        ["javac", "--release", "8", "-Xlint:all,-options,-try", "-Werror", "-cp", jvm_classes, "-d", folder, *sources],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return str(folder)


def test_the_adapters_of_android_fit_the_signatures_that_they_use_and_keep_their_word(jvm_classes, android):
    done = subprocess.run(
        [*JAVA, f"{android}:{jvm_classes}", "drawbridge.client.android.Adapters"], capture_output=True, text=True,
        timeout=HANGS)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def kotlin(jvm_classes, android, tmp_path_factory):
    """The face, an app made with it, what the page shows of it, and what the service's README shows to an app without it, in
    one run of the compiler: each takes its time."""
    folder = tmp_path_factory.mktemp("kotlin")
    [block] = re.findall(r"^```kotlin\n(.*?)^```", (JVM / "README.md").read_text(), re.M | re.S)
    (folder / "Page.kt").write_text(f"""
import android.content.Context
import drawbridge.client.*
import drawbridge.client.android.*

fun page(context: Context, tab: Browser, view: android.webkit.WebView): LoginLink {{
{block}
    return link
}}
""")
    [by_hand] = re.findall(r"^```kotlin\n(.*?)^```", (instance.ROOT / "README.md").read_text(), re.M | re.S)
    assert "/api/auth/create-sso-token" in by_hand
    (folder / "ByHand.kt").write_text(f"""
import android.content.Context
import android.net.Uri
import androidx.browser.customtabs.CustomTabsIntent
import java.net.HttpURLConnection
import java.net.URL
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import org.json.JSONObject

{by_hand}
""")
    done = subprocess.run(
        ["kotlinc", "-no-reflect", "-Werror", "-jvm-target", "1.8", "-classpath", f"{jvm_classes}:{android}", "-d", folder,
         JVM / "kotlin", JVM / "kotlin-test", folder / "Page.kt", folder / "ByHand.kt",
         *sorted((JVM / "standins").rglob("*.kt"))], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return str(folder)


def test_kotlins_face_signs_in_opens_pages_and_signs_out_at_the_real_server(demo, jvm_classes, kotlin):
    app = subprocess.Popen(
        [*JAVA, f"{kotlin}:{jvm_classes}:/usr/share/java/kotlin-stdlib.jar", "drawbridge.client.Faces", demo.base,
         demo.bearer("bob")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert redeemed_as(demo, instance.next_line(app, HANGS)) == demo.user("bob")["sub"]
        address = instance.next_line(app, HANGS)
        assert "max_age=600" in address
        app.stdin.write(native.Browser(demo.base).sign_in(address, demo.user("alice")) + "\n")
        app.stdin.flush()
        assert instance.next_line(app, HANGS) == demo.user("alice")["sub"]
        assert redeemed_as(demo, instance.next_line(app, HANGS)) == demo.user("alice")["sub"]
        app.stdin.write("opened\n")
        app.stdin.flush()
        assert app.stdout.read().strip() == "signed out", app.stderr.read()
    finally:
        app.kill()
        app.communicate()


def test_a_sign_in_and_any_backends_bearer_open_pages_at_the_real_server(demo, jvm_classes):
    alice = demo.user("alice")["sub"]
    app = subprocess.Popen(
        [*JAVA, jvm_classes, "drawbridge.client.Real", demo.base, demo.bearer("bob")], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    try:
        assert redeemed_as(demo, instance.next_line(app, HANGS)) == demo.user("bob")["sub"]
        address = instance.next_line(app, HANGS)
        assert "dpop_jkt=" in address and "code_challenge_method=S256" in address
        app.stdin.write(native.Browser(demo.base).sign_in(address, demo.user("alice")) + "\n")
        app.stdin.flush()
        assert [instance.next_line(app, HANGS) for _ in range(2)] == [alice, alice]
        assert redeemed_as(demo, instance.next_line(app, HANGS)) == alice
        # A sign-out ends the links that wait, too, so the app waits until this one is opened.
        app.stdin.write("opened\n")
        app.stdin.flush()
        # The sign-out has left nothing but the key, and nobody is signed in.
        said = app.stdout.read().split()
        assert said == ["not_signed_in", "1"], (said, app.stderr.read())
    finally:
        app.kill()
        app.communicate()
