"""Requests to the provider, each with what proves whose it is, and a line in the app's log."""

import contextlib
import json

from . import http1
from .configuration import Configuration
from .encoding import form, json_object
from .errors import DrawbridgeError
from .failures import challenge, failure, unexpected
from .proof import Proofs


class Transport:
    def __init__(self, configuration: Configuration, proofs: Proofs, logger):
        self._configuration, self._proofs, self._logger = configuration, proofs, logger

    def send(self, method: str, address: str, *, members: dict | None = None, data: dict | None = None,
             accept: str = "application/json", token: str | None = None, proves: bool = False,
             longest: float | None = None) -> http1.Answer:
        proves = bool(self._configuration.dpop and proves)
        for attempt in (1, 2):
            headers = {"Accept": accept}
            if token is not None:
                headers["Authorization"] = f"{'DPoP' if proves else 'Bearer'} {token}"
            if proves:
                headers["DPoP"] = self._proofs.proof(method, address, token)
            body = None
            if members is not None:
                body, headers["Content-Type"] = form(members).encode(), "application/x-www-form-urlencoded"
            elif data is not None:
                body, headers["Content-Type"] = json.dumps(data).encode(), "application/json"
            answer = self._send_once(method, address, headers, body, longest)
            # A nonce that we did not have, or that is stale: once more with the one that came along (RFC 9449 §8).
            if not (proves and attempt == 1 and answer.wants_nonce):
                return answer
        return answer

    def failure(self, answer: http1.Answer, what: str) -> DrawbridgeError:
        return failure(answer, what, self._configuration)

    def _send_once(self, method: str, address: str, headers: dict, body: bytes | None,
                   longest: float | None) -> http1.Answer:
        place, timeout = f"{method} {address.split('?')[0]}", self._configuration.timeout
        try:
            if longest is None or longest >= timeout:
                answer = http1.send(method, address, headers, body, timeout)
            else:
                answer = http1.send(method, address, headers, body, longest, timeout)
            self._log(f"{place}: {answer.status}")
            if 300 <= answer.status < 400:
                raise unexpected(answer, "a redirect, which is never followed")
        except DrawbridgeError as error:
            self._log(f"{place}: {error.code}")
            raise
        nonce = answer.headers.get("dpop-nonce", "")
        self._proofs.remember(address, nonce)
        answer.challenge = challenge(answer, "error")
        error = (json_object(answer.text) or {}).get("error") or answer.challenge
        answer.wants_nonce = bool(nonce) and answer.status >= 400 and error == "use_dpop_nonce"
        return answer

    def _log(self, line: str):
        # One that fails changes nothing: where would it be told?
        with contextlib.suppress(Exception):
            if self._logger is not None:
                self._logger.debug(line)
