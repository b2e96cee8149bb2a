"""Django's accounts behind the middleware, with the backend and the settings of docs/middleware.md."""

import os
import re
import sys

import pytest

import instance
import wire
from relying_parties import DjangoBySubject, listing
from servers import Server
from sites import MIDDLEWARE, PAGE

DOCUMENT = "../middleware.md"
#: The document's own way to put Django behind the guard, of which `/account` is guarded.
[BLOCK] = re.findall(
    r"^```python\n(from django.core.wsgi .*?)^```", (instance.ROOT / "docs/middleware.md").read_text(), re.M | re.S)


class Site(Server):
    """With a local superuser `admin`, one guarded page, and one that only Django itself looks after."""

    def __init__(self, demo):
        super().__init__("django-accounts")
        self.port = instance.free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        (self.folder / "drawbridge_backend.py").write_text(
            listing(DOCUMENT, "drawbridge_backend.py", {"https://auth.example.com": demo.base}))
        (self.folder / "site_settings.py").write_text(f"""
DEBUG, SECRET_KEY, ALLOWED_HOSTS, ROOT_URLCONF = True, "of-this-test-alone", ["*"], "site_urls"
INSTALLED_APPS = ["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions"]
MIDDLEWARE = ["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
              "django.contrib.auth.middleware.AuthenticationMiddleware"]
DATABASES = {{"default": {{"ENGINE": "django.db.backends.sqlite3", "NAME": "site.sqlite"}}}}
{listing(DOCUMENT, "settings.py, at its end")}""")
        (self.folder / "site_urls.py").write_text("""
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.urls import path


def page(request):
    return HttpResponse(f"{request.user.get_username()} {request.user.is_superuser}")


urlpatterns = [path("account", page), path("orders", login_required(page))]
""")
        (self.folder / "site.py").write_text(f"""
import os
from wsgiref.simple_server import make_server
os.environ["DJANGO_SETTINGS_MODULE"] = "site_settings"
{BLOCK.replace("https://www.example.com", demo.base)}
from django.contrib.auth import get_user_model
from django.core.management import call_command
call_command("migrate", verbosity=0)
get_user_model().objects.create_superuser("admin", password="local")
make_server("127.0.0.1", {self.port}, application).serve_forever()
""")
        self.run([sys.executable, "site.py"], cwd=self.folder, env={**os.environ, "PYTHONPATH": str(MIDDLEWARE / "python")})
        instance.wait_until(lambda: instance.listens(self.port), 60, f"Django: {self.log}")


class Visit:
    """A browser with Drawbridge's cookie, which keeps Django's as well."""

    def __init__(self, site: Site, cookie: str):
        self.site, self.cookie, self.django = site, cookie, ""

    def get(self, path: str) -> wire.Answer:
        answer = wire.send(self.site.base, "GET", path, {**PAGE, "Cookie": f"{self.cookie}{self.django}"})
        if "sessionid" in answer.cookies:
            self.django = f"; sessionid={answer.cookies['sessionid'].value}"
        return answer


@pytest.fixture(scope="module")
def site(demo):
    with Site(demo) as site:
        yield site


def test_a_subject_opens_no_local_account_of_its_name(demo, site):
    shown = Visit(site, demo.sign_in("admin")).get("/account")
    assert (shown.status, shown.text) == (200, f"{DjangoBySubject.account(demo, 'admin')} False"), site.log[-2000:]
    assert Visit(site, demo.sign_in("Admin")).get("/account").text == f"{DjangoBySubject.account(demo, 'Admin')} False"


def test_a_sign_out_ends_djangos_session_too(demo, site):
    visit = Visit(site, demo.sign_in("bob"))
    assert visit.get("/account").status == 200 and visit.django
    held = visit.django
    out = demo.send("POST", "/session/logout", {"Cookie": visit.cookie, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"})
    assert out.status == 204
    left = visit.get("/orders")
    assert (left.status, left.header("Location")) == (302, "/accounts/login/?next=/orders")
    assert visit.get("/account").status == 303
    # Nor by the cookie that somebody else kept.
    visit.django = held
    assert visit.get("/orders").status == 302


def test_who_signs_in_next_in_the_same_browser_gets_an_account_of_their_own(demo, site):
    visit = Visit(site, demo.sign_in("bob"))
    first = visit.get("/account").text
    visit.cookie = demo.sign_in("alice")
    second = visit.get("/account").text
    assert (first, second) == tuple(
        f"{DjangoBySubject.account(demo, demo.user(name)['sub'])} False" for name in ["bob", "alice"])
