import Bridge
import StorageConformance

@testable import SQLStorage

/// A login token and the session that it opens, both named alike.
struct Visit: Sendable {
    static let now = Timestamp(milliseconds: 1_763_708_400_123)

    let name: String
    var subject: Subject = "alice"
    /// The session's id, when it is another than the name says.
    var sessionID: SessionID?
    /// The session that the browser had.
    var replaced: SessionID?

    var token: IssuedLoginToken {
        IssuedLoginToken(
            id: TokenID(rawValue: name), subject: subject, clientID: "app", issuedAt: Self.now,
            expiresAt: Self.now + .seconds(60))
    }

    var session: WebSession {
        WebSession(
            id: sessionID ?? SessionID(rawValue: "session-\(name)"), secretDigest: "digest-\(name)", subject: subject,
            clientID: "web", appClientID: "app", parentID: nil, loginTokenID: token.id, opening: .loginToken,
            authentication: Authentication(), createdAt: Self.now, expiresAt: Self.now + .seconds(3600),
            idleLifetime: .seconds(600), lastSeenAt: Self.now)
    }

    var use: LoginTokenUse {
        LoginTokenUse(at: Self.now, sessionID: session.id, address: nil, userAgentDigest: nil)
    }
}

extension DurableStorage {
    func issue(_ visits: [Visit]) async throws {
        for visit in visits {
            _ = try await recordIssue(
                visit.token, scope: nil, idempotency: nil, event: .sample(.loginTokenIssued, reason: visit.name))
        }
    }

    /// - Parameter taker: whose session takes the place of the one that the browser had.
    func redeem(_ visit: Visit, by taker: Subject = "somebody else") async throws -> LoginTokenRedeemOutcome {
        try await redeem(
            visit.token, opening: visit.session, use: visit.use,
            replacing: [visit.replaced].compactMap(\.self).map {
                .sample(Visit(name: visit.name, subject: visit.subject, sessionID: $0).session, by: taker)
            },
            events: [.sample(.loginTokenRedeemed, reason: visit.name)])
    }

    func disable(_ subject: Subject) async throws -> [SessionID]? {
        let outcome = try await changeUser(
            subject, UserChange(isDisabled: true), events: { type, _ in .sample(type, reason: subject.rawValue) },
            ending: .sample(.administrator))
        return if case .changed(let ended) = outcome { ended.sessions } else { nil }
    }
}
