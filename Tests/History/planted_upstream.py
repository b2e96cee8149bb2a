"""Bugs on purpose in the sign-in at a provider of others (`planted_faults.py` puts them in)."""

from __future__ import annotations

from edits import Edit

SIGN_IN = "Sources/Bridge/SignIn/Upstream/UpstreamSignIn.swift"
PROVIDER = "Sources/Federation/Upstream/OpenIDProvider.swift"
SESSIONS = "Sources/SQLStorage/Stores/Session/DurableStorage+WebSessions.swift"

#: What each does, in the contract's words.
FAULTS = {
    "upstream-answer-in-any-browser": "§16.1: a provider's answer signs in whoever brings it",
    "upstream-answer-counts-twice": "§16.1: a provider's answer opens a session each time that it is brought",
    "upstream-nonce-unread": "§16.1: an ID token that was made for another request signs in",
    "upstream-mix-up-passes": "§16.1: an answer that names another issuer signs in",
    "upstream-signs-in-the-disabled": "§7: who is disabled comes back from a provider and is signed in",
    "upstream-session-before-goes-on": "§6: a browser's session goes on when another takes its place",
}

EDITS = [
    Edit(SIGN_IN,
         "let state = try seal.seal(trip.finish(), binding: browser.digest, lifetime: Self.tripLifetime)",
         'let binding = planted("upstream-answer-in-any-browser") ? "" : browser.digest\n'
         "        let state = try seal.seal(trip.finish(), binding: binding, lifetime: Self.tripLifetime)"),
    Edit(SIGN_IN,
         "guard let text = seal.open(state, binding: browser.digest), let members",
         'let binding = planted("upstream-answer-in-any-browser") ? "" : browser.digest\n'
         "        guard let text = seal.open(state, binding: binding), let members"),
    # A node that keeps whom a provider has named, for a browser that asks again.
    Edit(SIGN_IN,
         "package import OAuth2\n\n/// Signs users in",
         "package import OAuth2\nimport Synchronization\n\n/// Signs users in"),
    Edit(SIGN_IN,
         "    private let recorder: SpanRecorder?\n",
         "    private let recorder: SpanRecorder?\n    private let named = Mutex<[String: UpstreamUser]>([:])\n"),
    Edit(SIGN_IN,
         """        let user = try await provider.user(
            code: Secret(code), issuer: parameters["iss"],
            for: UpstreamRequest(
                state: state, nonce: trip.nonce, verifier: trip.verifier,
                redirectURI: Self.callback(of: trip.provider, at: here)), at: now)
""",
         """        let user: UpstreamUser
        if planted("upstream-answer-counts-twice"), let known = named.withLock({ $0[state] }) {
            user = known
        } else {
            user = try await provider.user(
                code: Secret(code), issuer: parameters["iss"],
                for: UpstreamRequest(
                    state: state, nonce: trip.nonce, verifier: trip.verifier,
                    redirectURI: Self.callback(of: trip.provider, at: here)), at: now)
            if planted("upstream-answer-counts-twice") { named.withLock { $0[state] = user } }
        }
"""),
    Edit(PROVIDER,
         'guard let nonce = token.claims["nonce"]?.string,\n'
         "            ConstantTime.equals(nonce.utf8, request.nonce.utf8)\n        else {",
         'guard let nonce = token.claims["nonce"]?.string,\n'
         '            ConstantTime.equals(nonce.utf8, request.nonce.utf8) || planted("upstream-nonce-unread")\n'
         "        else {"),
    Edit(PROVIDER,
         "guard named.map({ $0.hasSameBytes(as: settings.issuer) }) ?? !metadata.promisesIssuer else {",
         "guard (named.map({ $0.hasSameBytes(as: settings.issuer) }) ?? !metadata.promisesIssuer)\n"
         '            || planted("upstream-mix-up-passes")\n        else {'),
    Edit(SIGN_IN,
         "guard account.disabledAt == nil,",
         'guard account.disabledAt == nil || planted("upstream-signs-in-the-disabled"),'),
    Edit(SESSIONS,
         "if try row.optionalTimestamp(0) != nil { return true }",
         'if try row.optionalTimestamp(0) != nil, !planted("upstream-signs-in-the-disabled") { return true }'),
    Edit(SIGN_IN,
         "replacing: current, origin: origin, at: now)",
         'replacing: planted("upstream-session-before-goes-on") ? nil : current, origin: origin,\n'
         "                    at: now)"),
]
