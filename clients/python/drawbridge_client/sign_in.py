"""Sign-in through the browser (RFC 8252, OpenID Connect Core §3.1)."""

import secrets
import threading

from .addresses import is_private_use, secure_address
from .authorization_answer import code_of
from .configuration import Configuration, words
from .digests import sha256
from .encoding import form
from .errors import hosted, wrong
from .giving_up import closed_by, unless_set
from .id_token import IDTokens
from .own_sign_in import OwnSignIn
from .proof import Proofs
from .provider import Provider
from .revocation import Revocation
from .shared_sign_in import SharedSignIn
from .token_endpoint import TokenEndpoint
from .vault import Vault


class BrowserSignIn:
    def __init__(self, configuration: Configuration, browser, vault: Vault, shared: SharedSignIn, proofs: Proofs,
                 provider: Provider, tokens: TokenEndpoint, id_tokens: IDTokens, revocation: Revocation, own: OwnSignIn):
        self._configuration, self._browser, self._vault, self._shared = configuration, browser, vault, shared
        self._proofs, self._provider, self._tokens, self._id_tokens = proofs, provider, tokens, id_tokens
        self._revocation, self._own = revocation, own

    def sign_in(self, login_hint: str | None, acr_values: list | None, max_age: int | None, prompt: str | None,
                languages: list | None, cancelled: threading.Event | None) -> dict:
        if self._browser is None:
            raise wrong("sign_in needs a browser, such as LoopbackBrowser()")
        self._configuration.need_client()
        levels = words("acr_values", () if acr_values is None else acr_values)
        languages = words("the languages", () if languages is None else languages)
        metadata = self._provider.metadata()
        self._provider.need_keys()
        state, nonce, verifier = secrets.token_urlsafe(16), secrets.token_urlsafe(16), secrets.token_urlsafe(32)
        # Whatever can fail comes before the browser is prepared, whose port would stay open.
        members = {
            "response_type": "code", "client_id": self._configuration.client_id, "scope": " ".join(self._configuration.scope),
            "state": state, "nonce": nonce, "code_challenge": sha256(verifier), "code_challenge_method": "S256",
            "login_hint": login_hint, "prompt": prompt, "acr_values": " ".join(levels) or None,
            "max_age": max_age, "ui_locales": " ".join(languages) or None,
            "dpop_jkt": self._proofs.key().thumbprint if self._configuration.dpop else None}
        unless_set(cancelled)
        redirect = self._redirect()
        endpoint = metadata["authorization_endpoint"]
        query = form({**members, "redirect_uri": redirect})
        with closed_by(cancelled, self._browser, redirect):
            answer = hosted("the browser", self._browser.open, f"{endpoint}{'&' if '?' in endpoint else '?'}{query}")
        code = code_of(str(answer), redirect, state, self._configuration.issuer, metadata)
        return self._redeem(code, redirect, verifier, nonce, max_age)

    def _redirect(self) -> str:
        if hasattr(self._browser, "prepare"):
            redirect = hosted("the browser", self._browser.prepare)
        else:
            redirect = self._configuration.redirect_uri
        if not redirect or not (secure_address(redirect) or is_private_use(redirect)):
            raise wrong("there is no redirect_uri to come back to")
        return redirect

    def _redeem(self, code: str, redirect: str, verifier: str, nonce: str, max_age: int | None) -> dict:
        shared = tokens = None
        try:
            with self._vault.sharing():
                shared = self._shared.stored()
                tokens = self._tokens.ask({
                    "grant_type": "authorization_code", "code": code, "redirect_uri": redirect, "code_verifier": verifier,
                    # A device that is known stays one device; a secret that is no longer good counts as absent (§5.1).
                    "device_secret": shared["device_secret"] if shared else None})
                claims = self._id_tokens.verified(
                    tokens.get("id_token"), tokens, nonce=nonce, max_age=max_age, device_secret=tokens.get("device_secret"))
                if tokens.get("device_secret"):
                    self._shared.share(tokens["device_secret"], tokens["id_token"])
            self._own.begin(tokens, claims)
        except Exception:
            if tokens:
                self._revocation.abandon(tokens, shared)
            raise
        return claims
