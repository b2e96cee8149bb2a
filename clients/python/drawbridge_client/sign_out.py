"""The end of a sign-in (contract §7, RFC 7009)."""

import contextlib

from .configuration import Configuration
from .errors import DrawbridgeError, tried, wrong
from .id_token import audiences, parts
from .own_sign_in import OwnSignIn, refresh_tokens
from .revocation import Revocation
from .shared_sign_in import SharedSignIn
from .vault import Vault
from .web_view import WebView


class SignOut:
    def __init__(self, configuration: Configuration, vault: Vault, shared: SharedSignIn, revocation: Revocation,
                 own: OwnSignIn, web_view: WebView):
        self._configuration, self._vault, self._shared = configuration, vault, shared
        self._revocation, self._own, self._web_view = revocation, own, web_view

    def sign_out(self, extent: str):
        # Another word would end less than the app means.
        if extent not in ("device", "this_app"):
            raise wrong('the extent must be "device" or "this_app"')
        self._configuration.need_client()
        # Not beside a renewal: that one would put fresh tokens where these have just been taken out.
        with contextlib.ExitStack() as held:
            _, unlocked = tried(lambda: held.enter_context(self._vault.renewing()))
            self._end(extent, unlocked)

    def _end(self, extent: str, unlocked: DrawbridgeError | None):
        """`unlocked`: why the lock could not be had. What is kept ends without it, and that is told."""
        # What cannot be read cannot be ended at the provider, and leaves the device all the same.
        own, problem = tried(self._own.stored)
        shared, unreadable = tried(self._shared.stored)
        said = parts(shared["id_token"])["claims"] if shared else {}
        is_ours = not own or said.get("sub") == own["subject"]
        if unreadable:
            ends_shared = extent == "device"
        else:
            ends_shared = bool(shared) and is_ours and (extent == "device" or self._configuration.client_id in audiences(said))
        if not own and not problem and not ends_shared:
            raise DrawbridgeError("not_signed_in")
        untold = self._end_at_provider(own, shared if ends_shared else None)
        self._clear_device(shared, ends_shared, unlocked)
        if problem := problem or unreadable or untold:
            raise DrawbridgeError("signed_out_here_only", problem, problem.oauth, problem.seconds, problem.request_id,
                                  problem.page) from None

    def _end_at_provider(self, own: dict | None, shared: dict | None) -> DrawbridgeError | None:
        """What went wrong with it first."""
        ending = [(token, "refresh_token") for token in reversed(refresh_tokens(own))]
        if shared:
            ending.append((shared["device_secret"], "device_secret"))
        problem, is_silent = None, False
        for token, hint in ending:
            # Earlier sign-ins would be waited for as long, one after another. The device's end is worth a second try.
            if is_silent and hint == "refresh_token":
                continue
            try:
                self._revocation.revoke(token, hint, bool(own and own.get("bound")))
            except DrawbridgeError as error:
                problem = problem or error
                is_silent = error.code == "unreachable"
        return problem

    def _clear_device(self, shared: dict | None, ends_shared: bool, unlocked: DrawbridgeError | None):
        """All of it, also when the store refuses a part; what stays on the device is told before anything else."""
        removals = [self._own.remove]
        if ends_shared:
            removals.append(lambda: self._shared.forget(shared) if shared else self._shared.remove())
        stays = unlocked
        for removal in [*removals, self._web_view.clear]:
            _, error = tried(removal)
            stays = stays or error
        if stays:
            raise stays
