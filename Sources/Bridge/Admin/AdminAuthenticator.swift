package import OAuth2

/// Decides whether an access token administers (contract §8: scope `admin`).
package protocol AdminAuthenticator: Sendable {
    /// - Parameter provenKey: thumbprint of the key that a DPoP proof showed: a token that is bound needs its own, and
    ///   with a proof no other will do.
    /// - Throws: ``AdminRefusal``; ``StorageError`` when it cannot be found out now.
    func administrator(
        presenting token: Secret<String>, provenKey: String?, at now: Timestamp
    ) async throws -> Administrator

    /// Whether an administrator whose token was recognised before still is one: the token may have been revoked since,
    /// its client or session ended, or the right taken away.
    /// - Throws: ``StorageError`` when it cannot be found out now.
    func stillAdministers(_ administrator: Administrator, at now: Timestamp) async throws -> Bool
}

/// Why an administrator was not let in: for the audit log; outside there are fewer words.
package struct AdminRefusal: Error, Hashable, Sendable {
    /// The word in the audit log.
    package enum Reason: String, Sendable, CaseIterable {
        /// Nothing was presented at all.
        case missing
        /// The token or cookie is nothing that we gave out, or it has ended: also a token that its client got before it
        /// was given another secret.
        case invalid
        /// A browser's session that no sign-in here opened: an app or a login token did (contract §16.2).
        case notSignedInHere = "not_signed_in_here"
        /// A good token or session, whose holder is not an administrator.
        case notAdministrator = "not_administrator"
        /// An administrator's session without a second factor.
        case secondFactorMissing = "second_factor_missing"
        /// An administrator's session without a second factor, whose holder has none yet and can set one up.
        case secondFactorNotEnrolled = "second_factor_not_enrolled"
        /// A change by an administrator who signed in too long ago for it.
        case signInTooOld = "sign_in_too_old"
        /// An administrator's session that was unused for too long.
        case idle
        /// A browser's request that does not prove that it comes from a page of ours.
        case foreignPage = "foreign_page"
    }

    /// Whose token or session was verified, as the events of that token or session name them.
    package struct Holder: Hashable, Sendable {
        /// `nil` for a client that acts for itself.
        package let subject: Subject?
        /// The app.
        package let clientID: ClientID?
        /// The website.
        package let targetClientID: ClientID?
        package let sessionID: SessionID?

        package init(_ bearer: BearerIdentity) {
            subject = bearer.subject
            clientID = bearer.clientID
            targetClientID = nil
            sessionID = bearer.sessionID
        }

        package init(_ administrator: Administrator) {
            subject = if case .account(let subject) = administrator.actor { subject } else { nil }
            clientID = administrator.credential.clientID
            targetClientID = nil
            sessionID = administrator.credential.sessionID
        }

        package init(_ session: WebSession) {
            subject = session.subject
            clientID = session.appClientID
            targetClientID = session.clientID
            sessionID = session.id
        }
    }

    package let reason: Reason
    /// `nil` where nothing was presented, or nothing that holds.
    package let holder: Holder?
    /// What is told to a program whose token came with a proof of its key, or needs one; `nil` for all others.
    package let codeBesideProof: ErrorCode?

    package init(_ reason: Reason, of holder: Holder? = nil, codeBesideProof: ErrorCode? = nil) {
        self.reason = reason
        self.holder = holder
        self.codeBesideProof = codeBesideProof
    }
}

/// Asks several authenticators in turn: a token that one does not know may be another's.
package struct AdminAuthenticators: AdminAuthenticator {
    private let authenticators: [any AdminAuthenticator]

    package init(_ authenticators: [any AdminAuthenticator]) { self.authenticators = authenticators }

    package func administrator(
        presenting token: Secret<String>, provenKey: String?, at now: Timestamp
    ) async throws -> Administrator {
        var refusal = AdminRefusal(.invalid)
        for authenticator in authenticators {
            do {
                return try await authenticator.administrator(presenting: token, provenKey: provenKey, at: now)
            } catch let thrown as AdminRefusal {
                // Whose it was, "known but without the right", or "known but bound", says more than "unknown".
                if thrown != AdminRefusal(.invalid) { refusal = thrown }
            }
        }
        throw refusal
    }

    package func stillAdministers(_ administrator: Administrator, at now: Timestamp) async throws -> Bool {
        for authenticator in authenticators
        where try await authenticator.stillAdministers(administrator, at: now) { return true }
        return false
    }
}

/// Knows the tokens of users, who may not administer: the answer to them is 403 and not 401 (RFC 6750 §3.1).
package struct UserTokensDoNotAdminister: AdminAuthenticator {
    private let bearers: any BearerAuthenticator

    package init(_ bearers: any BearerAuthenticator) { self.bearers = bearers }

    package func administrator(
        presenting token: Secret<String>, provenKey: String?, at now: Timestamp
    ) async throws -> Administrator {
        // No issuer is asked only to refuse in other words.
        guard !bearers.mustAskIssuer(about: token, at: now) else { throw AdminRefusal(.invalid) }
        let bearer: BearerIdentity
        do {
            bearer = try await bearers.authenticate(token, at: now)
        } catch is BearerRefusal {
            throw AdminRefusal(.invalid)
        }
        throw AdminRefusal(.notAdministrator, of: AdminRefusal.Holder(bearer))
    }

    package func stillAdministers(_ administrator: Administrator, at now: Timestamp) -> Bool { false }
}

extension RefusalLog {
    /// A caller who is not an administrator; at most ten a minute for one network, and never for a request that
    /// presented nothing.
    package func adminRefused(_ refusal: AdminRefusal, origin: RequestOrigin, at now: Timestamp) async throws {
        guard refusal.reason != .missing else { return }
        let holder = refusal.holder
        try await record(
            AuditEvent(
                at: now, type: .adminRefused, outcome: .failure, reason: refusal.reason.rawValue,
                subject: holder?.subject, clientID: holder?.clientID, targetClientID: holder?.targetClientID,
                sessionID: holder?.sessionID, origin: origin),
            within: .network("audit.admin", of: origin, perMinute: 10))
    }
}
