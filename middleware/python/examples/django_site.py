"""A website made with Django, in one file: `python django_site.py PORT`, with its settings as JSON in SITE."""

import json
import os
import sys
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from drawbridge_site import Settings, Site
from drawbridge_site.wsgi import USER, Guard

given = {name: tuple(value) if isinstance(value, list) else value for name, value in json.loads(os.environ["SITE"]).items()}
site = Site(Settings(**given))
# What a project begins with, but for what needs a database.
settings.configure(
    ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY=os.urandom(32).hex(), MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware", "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware", "django.middleware.clickjacking.XFrameOptionsMiddleware"])
django.setup()


def page(request, **_):
    return HttpResponse(f"signed in as {request.environ[USER].subject}", content_type="text/plain")


def public(request):
    return HttpResponse("for everybody", content_type="text/plain")


# Drawbridge has no page of this website's, and so no token of a form: the signature says who speaks.
@csrf_exempt
def webhook(request):
    return answer(site.webhook(request.body, request.headers.get("Drawbridge-Webhook-Signature")))


@csrf_exempt
def logout(request):
    return answer(site.backchannel_logout(request.body))


def answer(found):
    return HttpResponse(found.body, status=found.status, headers=dict(found.headers))


urlpatterns = [path("", public), path("contacts", page), path("strong/<name>", page),
               path("hooks/drawbridge", webhook), path("hooks/logout", logout)]


class Handler(WSGIRequestHandler):
    def get_environ(self):
        # wsgiref does not take names with underscores away, as gunicorn and others do.
        for name in list(self.headers.keys()):
            if "_" in name:
                del self.headers[name]
        return {**super().get_environ(), "REQUEST_URI": self.path}

    def log_message(self, *_):
        pass


# The stronger demand is looked at first.
application = Guard(Guard(get_wsgi_application(), site, ("/contacts",)), site, ("/strong/",), acr=("aal9",))

if __name__ == "__main__":
    make_server("127.0.0.1", int(sys.argv[1]), application, handler_class=Handler).serve_forever()
