"""Drawbridge for desktop apps and command lines, on the standard library.

    link = Drawbridge("https://www.example.com").open_url("/contacts", bearer=token)
    open_in_browser(link)
"""

import asyncio

from .browsers import LoopbackBrowser, open_in_browser
from .client import Drawbridge
from .device_sign_in import DeviceCode
from .errors import DrawbridgeError
from .giving_up import GivenUp
from .login_links import LoginLink
from .silent_sign_in import Silent
from .stores import FileStore, KeyringStore, MemoryStore
from .web_view import WebViewCookie

__version__ = "0.3.0"
__all__ = ["AsyncDrawbridge", "DeviceCode", "Drawbridge", "DrawbridgeError", "FileStore", "GivenUp", "KeyringStore",
           "LoginLink", "LoopbackBrowser", "MemoryStore", "Silent", "WebViewCookie", "open_in_browser"]


class AsyncDrawbridge:
    """`Drawbridge` to be awaited: each call runs in a thread, so that nothing else of the loop waits.

    What the app has brought, such as `show`, `bearer` and the store, runs in that thread, and not on the loop.

    What is cancelled is no longer waited for; a request that is under way is finished all the same, and what it brought is
    kept. A sign-in that waits for a person ends: its browser is closed, where it has `close(redirect)`, and a device's code is
    not asked for any longer. Another sign-in at the same browser goes on.
    """

    def __init__(self, *arguments, **more):
        self._own = Drawbridge(*arguments, **more)

    async def open_url(self, *arguments, **more) -> LoginLink:
        return await asyncio.to_thread(self._own.open_url, *arguments, **more)

    async def sign_in(self, **more) -> dict:
        return await self._unless_cancelled(self._own.sign_in, **more)

    async def sign_in_silently(self) -> Silent:
        return await asyncio.to_thread(self._own.sign_in_silently)

    async def sign_in_by_device(self, show) -> dict:
        return await self._unless_cancelled(self._own.sign_in_by_device, show)

    @staticmethod
    async def _unless_cancelled(work, *arguments, **more):
        cancelled = GivenUp()
        try:
            return await asyncio.to_thread(work, *arguments, cancelled=cancelled, **more)
        except asyncio.CancelledError:
            # The thread would hold the program at its end until the person has answered.
            cancelled.set()
            raise

    async def access_token(self) -> str:
        return await asyncio.to_thread(self._own.access_token)

    async def person(self) -> dict:
        return await asyncio.to_thread(self._own.person)

    async def cookies(self, *arguments) -> list:
        return await asyncio.to_thread(self._own.cookies, *arguments)

    async def open_web_view(self, *arguments):
        await asyncio.to_thread(self._own.open_web_view, *arguments)

    async def sign_out(self, extent: str = "device"):
        await asyncio.to_thread(self._own.sign_out, extent)
