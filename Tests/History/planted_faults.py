"""Bugs put into the program on purpose, one at a time, to see whether its histories give them away.

The sources hold none of them. What would be one is a line here: a text of the sources, and what stands in its place in a
copy that is built for this alone. In that build `planted("name")` is true where the environment variable `PLANTED_FAULT`
has the name, so that one build serves all. A text that is not there exactly once is an error: a fault moves with its code.
"""

from __future__ import annotations

from pathlib import Path

import planted_upstream
from edits import Edit

#: The function that the edits call, as a file of the copy.
SWITCH = Path("Sources/Bridge/Core/Planted.swift")
SWITCH_TEXT = """import Foundation

private let plantedFault = ProcessInfo.processInfo.environment["PLANTED_FAULT"]

package func planted(_ name: String) -> Bool { plantedFault == name }
"""

STORES = "Sources/SQLStorage/Stores"

#: What each does, in the contract's words.
FAULTS = {
    "link-opens-twice": "§4.2: a link opens a session for whoever comes",
    "link-opens-after-taking-back": "§3: a link that is taken back stays good",
    "link-is-taken-back-after-use": "§3: it is said to be taken back after it opened",
    "link-replay-ends-nothing": "§4.3: a replay leaves alone what the first use opened",
    "any-browser-is-a-double-tap": "§4.3: a replay by another browser passes as a double tap",
    "prefetch-redeems": "§4.2: what fetches ahead uses the link up",
    "link-of-an-ended-app-opens": "§7: a link outlives the session that it was issued from",
    "hint-decides": "§4.2: the replay guard's hint refuses, and what was opened is not ended",
    "news-of-ends-go-unread": "§7: a node does not hear what ended elsewhere",
    "app-session-is-believed-for-long": "§7: a node asks once in half a minute whether an app's session lives",
    "end-stops-at-children": "§16.6: an end reaches what is directly below, and nothing further",
    "end-spares-web-sessions": "§16.6: an end leaves web sessions alone",
    "end-spares-app-sessions": "§16.6: an end leaves other apps' sessions alone",
    "end-takes-siblings": "§16.6: an end takes what was granted in the same browser",
    "device-end-spares-sessions": "§7: a device ends without its sessions",
    "sign-out-ends-offline-access": "§7: signing out ends what was granted for longer",
    "user-end-spares-browsers": "§7: ending all of a user leaves browsers signed in",
    "user-end-spares-links": "§7: ending all of a user leaves unused links good",
    "disabling-ends-nothing": "§7: enabling a user brings everything back",
    "refresh-repeat-is-theft": "§5.2: a lost answer is not given again",
    "refresh-reuse-passes": "§5.2: a rotated token is good for ever",
    "refresh-reuse-ends-nothing": "§5.2: a theft is refused, and its session goes on",
    "refresh-for-any-client": "§5.2: a refresh token works for another client",
    "refresh-widens-scope": "§5.2: a refresh asks for more than was granted, and gets it",
    "refresh-after-the-end": "§7: a refresh token outlives its session",
    "code-opens-twice": "§5.1: a code opens a session for whoever comes",
    "code-reuse-ends-nothing": "§5.1: a second use of a code leaves alone what the first opened",
    "code-without-verifier": "§5.1: any verifier will do",
    "code-for-any-client": "§5.1: another client redeems a code",
    "exchange-with-another-devices-secret": "§5.4: any device's secret goes with any ID token",
    "replaced-secret-works-on": "§5.4: a device secret that was replaced works on",
    "secret-replay-ends-nothing": "§5.4: the replay of a device secret is refused, and the device goes on",
    "cookie-replay-passes": "§6: a web view's refresh cookie is good for ever",
    "cookie-replay-ends-nothing": "§6: a stolen refresh cookie is refused, and its session goes on",
    "cookie-repeat-is-theft": "§6: a lost answer with cookies is not given again",
    "cookie-without-proof": "§6: another website may have cookies renewed",
    "exchange-grows": "§16: the second app gets more than the first one had",
    "child-outlives-parent": "§16: a session ends later than the one above it",
    "methods-grow-along-an-edge": "§16: what was handed on says of a second factor that nobody showed",
    "handed-on-hands-on": "§16.4: a handed-on session hands on",
    "chained-app-issues": "§16.4: what a device code opened issues links",
    "exchanged-session-hangs-nowhere": "§16.6: what a device secret opened hangs under nothing",
    "link-session-hangs-nowhere": "§16.6: what a link opened hangs under nothing",
    "phone-session-hangs-nowhere": "§16.6: a computer's session hangs under nothing",
    "any-digits-sign-in": "§9: a computer is signed in with any digits",
    "digits-sign-in-twice": "§9: digits are not used up",
    "any-shown-digits-sign-in": "§9: any digits beside a user name sign in, once a phone shows some",
    "shown-digits-sign-in-twice": "§9: digits that a phone shows are not used up",
    "key-answers-in-any-browser": "§10: a phone's answer signs in whoever brings it",
    "anybody-signs-for-a-key": "§10: the signature of a phone's answer is not looked at",
    "unlinking-ends-nothing": "§7: what a key signed in goes on when it is unlinked",
    "second-phone-takes-over": "§9: a second phone takes a page over",
    "device-code-for-any-client": "§5.5: another client redeems a device code",
    "hand-off-without-nonce": "§4.6: a hand-off opens in any browser, without a click",
    "access-revocation-forgotten": "§5.6: a revoked access token works on",
    "redemption-leaves-no-event": "§8: a redemption is not in the audit log",
    "commit-is-not-durable": "§8: answers leave before they are on disk",
    **planted_upstream.FAULTS,
}

EDITS = [
    Edit(f"{STORES}/LoginToken/DurableStorage+Redeem.swift",
         "session.newRow(by: token.issuedAt))",
         'session.newRow(by: planted("link-opens-twice") ? nil : token.issuedAt))'),
    Edit(f"{STORES}/LoginToken/DurableStorage+Redeem.swift",
         "let redeem = SQLCall(LoginTokenSQL.redeem, [SQLValue(token.id)] + usage)",
         """let again: SQLStatement = \"\"\"
            UPDATE login_token_use SET state = 'redeemed', used_at = $2, session_id = $3, address = $4, agent_digest = $5
            WHERE token_id = $1
            \"\"\"
        let redeem = SQLCall(
            planted("link-opens-twice") ? again : LoginTokenSQL.redeem, [SQLValue(token.id)] + usage)"""),
    Edit("Sources/Bridge/LoginToken/Redeem/SingleUse.swift",
         "if try await replayGuard.claim(id, until: expiry, at: redemption.at) == .claimedBefore,\n"
         "            let outcome = try await outcomeOfKnownState(redemption)\n        {\n            return outcome\n        }",
         """let claim = try await replayGuard.claim(id, until: expiry, at: redemption.at)
        if planted("hint-decides"), claim == .claimedBefore {
            return try await refusals.refuse(
                .revoked, claims: redemption.claims, origin: redemption.origin, at: redemption.at)
        }
        if claim == .claimedBefore, !planted("link-opens-twice"),
            let outcome = try await outcomeOfKnownState(redemption)
        {
            return outcome
        }"""),
    Edit(f"{STORES}/LoginToken/DurableStorage+LoginTokens.swift",
         "let revoked = try transaction.run(LoginTokenSQL.revoke, token.columns + [SQLValue(now)])\n"
         "            guard revoked.isEmpty else {",
         """let isKept = planted("link-opens-after-taking-back")
            let revoked = try isKept ? [] : transaction.run(LoginTokenSQL.revoke, token.columns + [SQLValue(now)])
            guard revoked.isEmpty, !isKept else {"""),
    Edit(f"{STORES}/LoginToken/DurableStorage+LoginTokens.swift",
         "case .redeemed(let use): return .alreadyUsed(at: use.at)",
         'case .redeemed(let use):\n'
         '                return planted("link-is-taken-back-after-use") ? .revoked : .alreadyUsed(at: use.at)'),
    Edit(f"{STORES}/LoginToken/DurableStorage+LoginTokens.swift",
         "if let ending, case .redeemed(let use)",
         'if !planted("link-replay-ends-nothing"), let ending, case .redeemed(let use)'),
    Edit("Sources/Bridge/LoginToken/Redeem/SingleUse.swift",
         "use.userAgentDigest == Self.userAgentMark(of: redemption)\n",
         'planted("any-browser-is-a-double-tap") || use.userAgentDigest == Self.userAgentMark(of: redemption)\n'),
    Edit("Sources/Bridge/LoginToken/Redeem/Visit.swift",
         "if visit.isPrefetch || visit.carrier == .none { return confirm }",
         'if visit.isPrefetch && !planted("prefetch-redeems") || visit.carrier == .none { return confirm }'),
    Edit(f"{STORES}/LoginToken/DurableStorage+Redeem.swift",
         "if let parent, let row = try transaction.run(parent).first, let endedAt = try row.optionalTimestamp(0) {",
         'if !planted("link-of-an-ended-app-opens"), let parent, let row = try transaction.run(parent).first,\n'
         "                let endedAt = try row.optionalTimestamp(0)\n            {"),
    Edit("Sources/Bridge/LoginToken/Issue/ParentSessions.swift",
         "guard session.isAlive(at: now) else { return .ended }",
         'guard session.isAlive(at: now) || planted("link-of-an-ended-app-opens") else { return .ended }'),
    Edit("Sources/Bridge/Session/WebSessions.swift",
         "for id in found.ended { cache.remove(id) }",
         'for id in found.ended where !planted("news-of-ends-go-unread") { cache.remove(id) }'),
    Edit("Sources/Bridge/Session/WebSessions.swift",
         "case .ended(let id): cache.remove(id)",
         'case .ended(let id):\n            if !planted("news-of-ends-go-unread") { cache.remove(id) }'),
    Edit("Sources/Bridge/Session/WebSessions.swift",
         "for hear in listeners.withLock({ $0 }) { hear(news) }",
         'for hear in listeners.withLock({ $0 }) where !planted("news-of-ends-go-unread") { hear(news) }'),
    Edit("Sources/Bridge/Provider/Grant/AppSessions.swift",
         "cache = ShortLivedCache(time: time)",
         'cache = ShortLivedCache(\n'
         '            lifetime: .milliseconds(planted("app-session-is-believed-for-long") ? 30_000 : 500), time: time)'),
    Edit("Sources/Bridge/Provider/Grant/AppSessions.swift",
         "case .ended(let id): cache.forget(id)\n            case .gap: cache.removeAll()",
         'case _ where planted("app-session-is-believed-for-long"): break\n'
         "            case .ended(let id): cache.forget(id)\n            case .gap: cache.removeAll()"),
    Edit("Sources/Bridge/Session/Lineage/EndingWalk.swift",
         "for child in try ground.sessions(below: ids, takingInherited: takesInherited) { push(child, reason: reason) }",
         'for child in try ground.sessions(below: ids, takingInherited: takesInherited)\n'
         '        where !planted("end-stops-at-children") || ended.sessions.count <= 1 {\n'
         "            push(child, reason: reason)\n        }"),
    Edit(f"{STORES}/Session/DurableStorage+Endings.swift",
         """try SQLValue.lists(of: ids).flatMap { list in
            try transaction.run(sql.below, [list, .integer(takesInherited ? 1 : 0)]).map(EndingRoot.init(row:))
        }""",
         """let siblings: SQLStatement = \"\"\"
            SELECT 'app', id FROM app_session WHERE ended_at IS NULL AND browser_session_id =
                (SELECT browser_session_id FROM app_session WHERE id = $1)
            \"\"\"
        let more: [SQLRow] =
            try planted("end-takes-siblings") ? ids.flatMap { try transaction.run(siblings, [SQLValue($0)]) } : []
        let below: [SQLRow] = try SQLValue.lists(of: ids).flatMap { list in
            try transaction.run(sql.below, [list, .integer(takesInherited ? 1 : 0)])
        }
        return try (below + more).map(EndingRoot.init(row:)).filter { root in
            switch root {
            case .webSession: !planted("end-spares-web-sessions")
            case .appSession: !planted("end-spares-app-sessions")
            default: true
            }
        }"""),
    Edit("Sources/Bridge/Session/Lineage/EndingWalk.swift",
         "for session in try ground.appSessions(of: id) { push(.appSession(session), reason: Ending.deviceRevoked) }",
         'for session in try ground.appSessions(of: id) where !planted("device-end-spares-sessions") {\n'
         "                push(.appSession(session), reason: Ending.deviceRevoked)\n            }"),
    Edit("Sources/Bridge/Session/Lineage/EndingWalk.swift",
         "where grant.outlivesBrowser {",
         'where grant.outlivesBrowser && !planted("sign-out-ends-offline-access") {'),
    Edit(f"{STORES}/Session/DurableStorage+Endings.swift",
         "try transaction.run(EndingSQL.everythingOf, [SQLValue(subject), SQLValue(now)]).map(EndingRoot.init(row:))",
         """try transaction.run(EndingSQL.everythingOf, [SQLValue(subject), SQLValue(now)]).map(EndingRoot.init(row:))
            .filter { if case .webSession = $0 { !planted("user-end-spares-browsers") } else { true } }"""),
    Edit(f"{STORES}/Session/DurableStorage+Endings.swift",
         "_ = try transaction.changes(void, [SQLValue(subject), SQLValue(now)])",
         'if planted("user-end-spares-links") { return 0 }\n'
         "        _ = try transaction.changes(void, [SQLValue(subject), SQLValue(now)])"),
    Edit(f"{STORES}/User/WriteTransaction+Users.swift",
         "return .changed(disabled ? try end(.user(subject), ending, by: sql) : .nothing)",
         "return .changed(\n"
         '            disabled && !planted("disabling-ends-nothing") ? try end(.user(subject), ending, by: sql) : .nothing)'),
    Edit("Sources/Bridge/Provider/Grant/RefreshTokens.swift",
         "        parent.sibling(\n",
         '        planted("refresh-repeat-is-theft")\n'
         "            ? OpaqueSecret.make(.refreshToken, random: random)\n            : parent.sibling(\n"),
    Edit("Sources/Bridge/Provider/Endpoint/RefreshTokenGrant.swift",
         "if let rotatedAt = state.rotatedAt, request.at - rotatedAt <= RefreshTokens.grace, !state.isSuccessorRotated,",
         'if planted("refresh-reuse-passes") { return }\n'
         "        if let rotatedAt = state.rotatedAt, request.at - rotatedAt <= RefreshTokens.grace, !state.isSuccessorRotated,"),
    Edit("Sources/Bridge/Provider/Endpoint/RefreshTokenGrant.swift",
         "        try await endings.end(\n            .appSession(state.session.id),",
         '        if planted("refresh-reuse-ends-nothing") { throw Self.refused(.reused) }\n'
         "        try await endings.end(\n            .appSession(state.session.id),"),
    Edit("Sources/Bridge/Provider/Endpoint/RefreshTokenGrant.swift",
         'guard state.session.clientID == request.client.id else { throw Self.refused(.otherClient) }',
         'guard state.session.clientID == request.client.id || planted("refresh-for-any-client") else {\n'
         '            throw Self.refused(.otherClient)\n        }'),
    Edit("Sources/Bridge/Provider/Endpoint/RefreshTokenGrant.swift",
         "guard scope.isSubset(of: state.record.scope) else {",
         'guard scope.isSubset(of: state.record.scope) || planted("refresh-widens-scope") else {'),
    Edit("Sources/Bridge/Provider/Endpoint/RefreshTokenGrant.swift",
         'guard state.session.isAlive(at: request.at) else { throw Self.refused(.sessionEnded) }',
         'guard state.session.isAlive(at: request.at) || planted("refresh-after-the-end") else {\n'
         '            throw Self.refused(.sessionEnded)\n        }'),
    Edit(f"{STORES}/Grant/DurableStorage+RefreshTokens.swift",
         "let rotate = SQLCall(RefreshTokenSQL.rotate, [.text(digest), SQLValue(now), .text(successor.digest)])",
         """let anyway: SQLStatement = \"\"\"
            UPDATE refresh_token SET rotated_at = $2, successor_digest = $3 WHERE digest = $1 AND rotated_at IS NULL
            \"\"\"
        let rotate = SQLCall(
            planted("refresh-after-the-end") ? anyway : RefreshTokenSQL.rotate,
            [.text(digest), SQLValue(now), .text(successor.digest)])"""),
    Edit("Sources/Bridge/Provider/Endpoint/AuthorizationCodeGrant.swift",
         "guard state.redeemedAt == nil else { return try await reused(state, request) }",
         'guard state.redeemedAt == nil || planted("code-opens-twice") else { return try await reused(state, request) }'),
    Edit(f"{STORES}/Grant/DurableStorage+AuthorizationCodes.swift",
         "let redeem = SQLCall(AuthorizationCodeSQL.redeem, [.text(digest), SQLValue(now), SQLValue(session.id)])",
         """let again: SQLStatement = \"\"\"
            UPDATE authorization_code SET redeemed_at = $2, session_id = $3 WHERE digest = $1 AND expires_at > $2
            \"\"\"
        let redeem = SQLCall(
            planted("code-opens-twice") ? again : AuthorizationCodeSQL.redeem,
            [.text(digest), SQLValue(now), SQLValue(session.id)])"""),
    Edit(f"{STORES}/Grant/DurableStorage+AuthorizationCodes.swift",
         "let opened: SessionID? = try use?.optionalIdentifier(1)",
         'let opened: SessionID? = try planted("code-reuse-ends-nothing") ? nil : use?.optionalIdentifier(1)'),
    Edit("Sources/Bridge/Provider/Endpoint/AuthorizationCodeGrant.swift",
         "challenge.isAnswered(by: verifier) else {",
         'challenge.isAnswered(by: verifier) || planted("code-without-verifier")\n            else {'),
    Edit("Sources/Bridge/Provider/Endpoint/AuthorizationCodeGrant.swift",
         'guard grant.clientID == request.client.id else { throw Self.refused(.otherClient) }',
         'guard grant.clientID == request.client.id || planted("code-for-any-client") else {\n'
         '            throw Self.refused(.otherClient)\n        }'),
    Edit("Sources/Bridge/NativeSSO/Exchange/NativeSSOCheck.swift",
         "return secret.sessionIDs.contains(id)",
         'return secret.sessionIDs.contains(id) || planted("exchange-with-another-devices-secret")'),
    Edit("Sources/Bridge/NativeSSO/Exchange/NativeSSOCheck.swift",
         "return ConstantTime.equals(hash.utf8, secretHash.utf8)",
         "return ConstantTime.equals(hash.utf8, secretHash.utf8)\n"
         '            || planted("exchange-with-another-devices-secret")'),
    Edit(f"{STORES}/Device/DurableStorage+DeviceUse.swift",
         "guard try !transaction.run(below).isEmpty else {",
         'guard try !transaction.run(below).isEmpty || planted("exchange-with-another-devices-secret") else {'),
    Edit("Sources/Bridge/NativeSSO/DeviceSecret/PresentedDeviceSecret.swift",
         "return isSpent || now - replacedAt > overlap",
         'return !planted("replaced-secret-works-on") && (isSpent || now - replacedAt > overlap)'),
    Edit(f"{STORES}/Device/DurableStorage+DeviceUse.swift",
         "            ? .overlapping : .replayed",
         '            || planted("replaced-secret-works-on") ? .overlapping : .replayed'),
    Edit("Sources/Bridge/Session/Lineage/EndingWalk.swift",
         "guard let device = try ground.revoke(",
         'if planted("secret-replay-ends-nothing"), reason == .word(.replayed) { return }\n'
         "        guard let device = try ground.revoke("),
    Edit("Sources/Bridge/NativeSSO/Exchange/NativeSSOCheck.swift",
         "let held = facts.session?.scope ?? .empty",
         'let held = planted("exchange-grows") ? facts.client.grantableScope : facts.session?.scope ?? .empty'),
    Edit("Sources/Bridge/Session/Lineage/Lineage.swift",
         "scope.map { wanted.intersection($0.adding(Scope.openID)) } ?? wanted",
         'planted("exchange-grows")\n'
         "            ? wanted : scope.map { wanted.intersection($0.adding(Scope.openID)) } ?? wanted"),
    Edit("Sources/Bridge/Session/Lineage/Lineage.swift",
         "authentication: authentication, expiresAt: min(end, expiresAt))",
         """authentication: planted("methods-grow-along-an-edge")
                ? Authentication(time: authentication.time, acr: authentication.acr, amr: authentication.amr + ["otp"])
                : authentication,
            expiresAt: planted("child-outlives-parent") ? end : min(end, expiresAt))"""),
    Edit("Sources/Bridge/LoginToken/Issue/LoginTokenIssuer.swift",
         "guard session.isOwnSignIn else {",
         'guard session.isOwnSignIn || planted("handed-on-hands-on") else {'),
    Edit("Sources/Bridge/Session/Lineage/Lineage.swift",
         "package var mayBeHandedOn: Bool { Self.handedOver.isDisjoint(with: ancestry.union([opening])) }",
         "package var mayBeHandedOn: Bool {\n"
         '        planted("chained-app-issues") || Self.handedOver.isDisjoint(with: ancestry.union([opening]))\n    }'),
    Edit("Sources/Bridge/Session/Lineage/Lineage.swift",
         "lineage.child(.tokenExchange, under: .opened(by: id), through: clientID, scope: scope, until: now + lifetime)",
         "lineage.child(\n"
         '            .tokenExchange, under: planted("exchanged-session-hangs-nowhere") ? .none : .opened(by: id),\n'
         "            through: clientID, scope: scope, until: now + lifetime)"),
    Edit("Sources/Bridge/Session/Lineage/Lineage.swift",
         "session.lineage.child(.loginToken, under: .opened(by: session.id), scope: scope, until: now + lifetime)",
         "session.lineage.child(\n"
         '                .loginToken, under: planted("link-session-hangs-nowhere") ? .none : .opened(by: session.id),\n'
         "                scope: scope, until: now + lifetime)"),
    Edit("Sources/Bridge/Session/Lineage/Lineage.swift",
         "lineage.child(.deviceCode, under: .opened(by: id), scope: scope, until: now + lifetime)",
         "lineage.child(\n"
         '            .deviceCode, under: planted("phone-session-hangs-nowhere") ? .none : .opened(by: id), scope: scope,\n'
         "            until: now + lifetime)"),
    Edit("Sources/Bridge/SignIn/CrossDevice/PhoneSignIn.swift",
         "if ConstantTime.equals(digitsDigest.utf8, Self.digest(typed).utf8) {",
         'if planted("any-digits-sign-in")\n'
         "            || ConstantTime.equals(digitsDigest.utf8, Self.digest(typed).utf8)\n        {"),
    Edit("Sources/Bridge/SignIn/CrossDevice/PhoneSignIns.swift",
         "guard try await records.replace(found, with: next, at: now) else { continue }\n"
         "            guard try await records.countsTry(of: found.signIn, id), try await records.counts(next, of: id) else {",
         'if !planted("digits-sign-in-twice") {\n'
         "                guard try await records.replace(found, with: next, at: now) else { continue }\n"
         "            }\n"
         '            guard try await planted("digits-sign-in-twice") ? true : records.countsTry(of: found.signIn, id),\n'
         '                try await planted("digits-sign-in-twice") ? true : records.counts(next, of: id)\n'
         "            else {"),
    Edit("Sources/Bridge/SignIn/CrossDevice/ShownCodeRecords.swift",
         "let isRight = ConstantTime.equals(code.digest.utf8, typed.utf8)",
         'let isRight = planted("any-shown-digits-sign-in")\n'
         "                || ConstantTime.equals(code.digest.utf8, typed.utf8)\n"
         '            if planted("shown-digits-sign-in-twice"), isRight { return .right(code) }'),
    Edit("Sources/Bridge/SignIn/SelfIssued/SelfIssuedSignIn.swift",
         "guard let browser, ConstantTime.equals(browser.digest.utf8, transaction.browserDigest.utf8) else {",
         'guard planted("key-answers-in-any-browser")\n'
         "                || browser.map({ ConstantTime.equals($0.digest.utf8, transaction.browserDigest.utf8) }) == true\n"
         "            else {"),
    Edit("Sources/Bridge/SignIn/SelfIssued/SelfIssuedToken.swift",
         "guard key.signed(token) else { throw .signatureInvalid }",
         'guard key.signed(token) || planted("anybody-signs-for-a-key") else { throw .signatureInvalid }'),
    Edit(f"{STORES}/User/DurableStorage+LinkedKeys.swift",
         "return .unlinked(try transaction.endKeySessions(of: subject, sparing: spared, ending, by: endings))",
         'return .unlinked(\n                try planted("unlinking-ends-nothing")\n                    ? .nothing\n'
         "                    : transaction.endKeySessions(of: subject, sparing: spared, ending, by: endings))"),
    Edit("Sources/Bridge/SignIn/CrossDevice/PhoneSignIn.swift",
         "guard phone == nil || phone?.isSame(as: scanner) == true else { throw .alreadyScanned }",
         'guard phone == nil || phone?.isSame(as: scanner) == true || planted("second-phone-takes-over") else {\n'
         "            throw .alreadyScanned\n        }"),
    Edit("Sources/Bridge/Provider/DeviceGrant/DeviceCodeGrant.swift",
         'guard state.authorization.clientID == request.client.id else { throw Self.refused(.otherClient) }',
         'guard state.authorization.clientID == request.client.id || planted("device-code-for-any-client") else {\n'
         '            throw Self.refused(.otherClient)\n        }'),
    Edit("Sources/Bridge/LoginToken/Redeem/Visit.swift",
         "isExpected && mode == .direct && visit.carrier == .query && visit.isDocumentNavigation",
         '(isExpected || planted("hand-off-without-nonce")) && mode == .direct && visit.carrier == .query\n'
         "            && visit.isDocumentNavigation"),
    Edit(f"{STORES}/Session/DurableStorage+SessionRefresh.swift",
         "guard try !Self.isSuperseded(cookie, digest, read: transaction.run) else {",
         'if planted("cookie-replay-ends-nothing"), try Self.isSuperseded(cookie, digest, read: transaction.run) {\n'
         "                return .refused\n            }\n"
         '            guard try planted("cookie-replay-passes")\n'
         "                    || !Self.isSuperseded(cookie, digest, read: transaction.run)\n            else {"),
    Edit(f"{STORES}/Session/DurableStorage+SessionRefresh.swift",
         "guard try cookie.integer(2) == 0 else { return true }",
         'guard try cookie.integer(2) == 0 else { return true }\n'
         "        let used: SQLStatement =\n"
         '            "SELECT digest FROM web_session_refresh WHERE digest = $1 AND used_at IS NOT NULL"\n'
         '        if planted("cookie-repeat-is-theft"), try !read(used, [.text(digest)]).isEmpty { return true }'),
    Edit("Sources/Bridge/NativeSSO/Cookies/SessionRefresh.swift",
         "guard AntiCSRF.matches(proof, refresh) else {",
         'guard AntiCSRF.matches(proof, refresh) || planted("cookie-without-proof") else {'),
    Edit(f"{STORES}/Grant/DurableStorage+RevokedTokens.swift",
         "guard try transaction.changes(RevokedTokenSQL.insert, [SQLValue(id), SQLValue(expiry)]) else { return }",
         'if planted("access-revocation-forgotten") { return }\n'
         "            guard try transaction.changes(RevokedTokenSQL.insert, [SQLValue(id), SQLValue(expiry)]) else { return }"),
    Edit(f"{STORES}/LoginToken/DurableStorage+Redeem.swift",
         "for event in events { try transaction.record(event) }",
         'for event in events where !planted("redemption-leaves-no-event") { try transaction.record(event) }'),
    Edit("Sources/SQLStorage/Postgres/PostgresSession.swift",
         "        // Two nodes in each other's way should find out soon.",
         '        if planted("commit-is-not-durable") {\n'
         '            _ = try run("SELECT set_config(\'synchronous_commit\', \'off\', false)", [])\n        }\n'
         "        // Two nodes in each other's way should find out soon."),
    *planted_upstream.EDITS,
]


def problems(root: Path) -> list[str]:
    """What does not fit the sources, or the list itself."""
    found = [f"{edit.path}: not there exactly once: {edit.text[:60]!r}"
             for edit in EDITS if (root / edit.path).read_text().count(edit.text) != 1]
    named = {name for edit in EDITS for name in edit.names}
    found += [f"no such fault: {name}" for name in sorted(named - FAULTS.keys())]
    found += [f"nowhere in the sources: {name}" for name in sorted(FAULTS.keys() - named)]
    return found


def plant(root: Path):
    """Puts all of them into a copy of the sources."""
    if wrong := problems(root):
        raise SystemExit("\n".join(wrong))
    for edit in EDITS:
        path = root / edit.path
        path.write_text(path.read_text().replace(edit.text, edit.instead))
    (root / SWITCH).write_text(SWITCH_TEXT)
