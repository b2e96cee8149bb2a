"""The examples of the middleware, each in a process of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import instance
import wire
from libraries import HANGS
from servers import Server

MIDDLEWARE = instance.ROOT / "middleware"
JARS = ":".join(f"/usr/share/java/{name}.jar" for name in [
    "servlet-api", "jetty9-server", "jetty9-servlet", "jetty9-security", "jetty9-http", "jetty9-io", "jetty9-util",
    "jetty9-util-ajax"])
#: Debian 12 has this one API of Jakarta's, and no container that takes it beside Jetty 9.
JAKARTA = "/usr/share/java/jakarta-servlet-api.jar"
#: Where Debian has Express and what it needs, in place of a website's own node_modules.
NODE_MODULES = Path("/usr/share/nodejs")
PAGE = {"Accept": "text/html", "User-Agent": wire.FIREFOX}
SITES = ["django", "fastapi", "node", "go", "php", "java"]


def run(command: list, folder, **environment: str) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, capture_output=True, text=True, timeout=HANGS,
        env={**os.environ, **environment})
    assert done.returncode == 0, (command, done.stdout[-4000:], done.stderr[-4000:])
    return done.stdout + done.stderr


def build(folder: Path) -> Path:
    """What has to be compiled, once: Go's example and Java's classes; and Node's example with Express beside it."""
    run(["go", "build", "-o", folder / "go-site", "./example"], MIDDLEWARE / "go", GOFLAGS="-mod=mod", GOPROXY="off")
    # Not a link to it: Node looks for packages beside the file that a link leads to.
    shutil.copytree(MIDDLEWARE / "node", folder / "node")
    (folder / "node/node_modules").mkdir()
    (folder / "node/node_modules/express").symlink_to(NODE_MODULES / "express")
    sources = sorted(path for path in (MIDDLEWARE / "java").rglob("*.java") if "jakarta" not in path.parts)
    run(["javac", "--release", "8", "-Xlint:all,-options,-processing", "-Werror", "-cp", JARS, "-d", folder / "classes",
         *sources], folder)
    return folder


def build_for_jakarta(folder: Path) -> Path:
    """As docs/middleware.md says: what is bound to no servlet API, and the filter for Jakarta's."""
    java = MIDDLEWARE / "java"
    sources = [path for path in (java / "src").rglob("*.java") if "javax.servlet" not in path.read_text()]
    run(["javac", "--release", "8", "-Xlint:all,-options,-processing", "-Werror", "-cp", JAKARTA, "-d", folder,
         *sorted(sources), *sorted((java / "jakarta").rglob("*.java"))], folder)
    return folder


class Site(Server):
    """An example, as its own file says that it is started."""

    def __init__(self, language: str, built_sites, settings: dict):
        super().__init__(f"site-{language}")
        self.port = instance.free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        commands = {
            "django": [sys.executable, MIDDLEWARE / "python/examples/django_site.py", self.port],
            "fastapi": [sys.executable, MIDDLEWARE / "python/examples/fastapi_site.py", self.port],
            "node": ["node", MIDDLEWARE / "node/examples/site.mjs", self.port],
            "express": ["node", built_sites / "node/examples/express.mjs", self.port],
            "go": [built_sites / "go-site", self.port],
            "php": ["php", "-S", f"127.0.0.1:{self.port}", MIDDLEWARE / "php/examples/site.php"],
            "java": ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{built_sites / 'classes'}:{JARS}", "Example", self.port],
        }
        self.folder.chmod(0o700)
        self.run([str(part) for part in commands[language]], cwd=self.folder, env={
            **os.environ, "PYTHONPATH": str(MIDDLEWARE / "python"), "SITE": json.dumps(settings), "FOLDER": str(self.folder),
            "NODE_PATH": str(NODE_MODULES)})
        instance.wait_until(lambda: instance.listens(self.port), 60, f"{language}: {(self.folder / 'server.log').read_text()}")

    def get(self, path: str, *headers) -> wire.Answer:
        pairs = [pair for given in (PAGE, *headers) for pair in (given.items() if isinstance(given, dict) else given)]
        return wire.send(self.base, "GET", path, pairs)
