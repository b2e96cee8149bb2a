"""A website made with FastAPI, in one file: `python fastapi_site.py PORT`, with its settings as JSON in SITE."""

import asyncio
import json
import os
import sys

import uvicorn
from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import PlainTextResponse

from drawbridge_site import Settings, Site
from drawbridge_site.asgi import USER, Guard

given = {name: tuple(value) if isinstance(value, list) else value for name, value in json.loads(os.environ["SITE"]).items()}
site = Site(Settings(**given))
app = FastAPI()


@app.get("/")
def public():
    return PlainTextResponse("for everybody")


@app.get("/contacts")
@app.get("/strong/{name}")
def page(request: Request):
    return PlainTextResponse(f"signed in as {request.scope[USER].subject}")


@app.post("/hooks/drawbridge")
async def webhook(request: Request):
    # In a thread: a handler, or a question for keys, must not hold other visitors up.
    signature = request.headers.get("Drawbridge-Webhook-Signature")
    return answer(await asyncio.to_thread(site.webhook, await body(request), signature))


@app.post("/hooks/logout")
async def logout(request: Request):
    return answer(await asyncio.to_thread(site.backchannel_logout, await body(request)))


async def body(request: Request) -> bytes:
    """No more than a notice can be, whoever sends what."""
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > 65536:
            raise HTTPException(413)
    return bytes(found)


def answer(found):
    return Response(found.body, status_code=found.status, headers=dict(found.headers))


# The stronger demand is looked at first.
application = Guard(Guard(app, site, ("/contacts",)), site, ("/strong/",), acr=("aal9",))

if __name__ == "__main__":
    # What proxies say of addresses, only the proxy of this website may say: we look at the connection's own.
    uvicorn.run(application, host="127.0.0.1", port=int(sys.argv[1]), proxy_headers=False, log_level="warning")
