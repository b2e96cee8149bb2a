/// A sign-in that a browser's user answers for on another device: what it opens is no sign-in of their own in that
/// browser (contract §16.2).
package enum SignInElsewhere: Hashable, Sendable, CaseIterable {
    /// An app that is signed in there approves it (docs/cross-device.md).
    case app
    /// A phone's key answers a code on the screen (docs/self-issued.md).
    case phoneKey

    /// How old the sign-in in the app is taken to be: as a rule it is older than the page that is approved, which may be
    /// as old as this (contract §9).
    static let leastAgeInApp = Duration.seconds(180)
}

extension Client {
    /// Whether a website accepts the best sign-in that an app's approval may lead on.
    func acceptsApprovals(at now: Timestamp) -> Bool {
        accepts(
            Authentication(
                time: now - SignInElsewhere.leastAgeInApp, acr: AuthenticationLevel.twoFactors.rawValue),
            at: now)
    }
}

extension AuthorizationRequest {
    /// Whether the session that such a sign-in opens could answer this request: what the decision says to it, as it is
    /// asked of a login token that is not redeemed yet (ADR-0036). Nobody knows whose it will be, or which app's, so it
    /// is asked about the best there might be: a "no" is for all of them.
    package func mayBeAnswered(by way: SignInElsewhere, in directory: ClientDirectory, at now: Timestamp) -> Bool {
        switch way {
        case .phoneKey:
            let level = AuthenticationLevel.oneFactor.rawValue
            return isAnswered(in: session(signedInAt: now, level, app: nil, directory, at: now), directory, at: now)
        case .app:
            let (time, level) = (now - SignInElsewhere.leastAgeInApp, AuthenticationLevel.twoFactors.rawValue)
            return directory.hasClient { app in
                directory.mayApproveSignIns(app)
                    && isAnswered(
                        in: session(signedInAt: time, level, app: app.id, directory, at: now), directory, at: now)
            }
        }
    }

    private func session(
        signedInAt time: Timestamp, _ level: String, app: ClientID?, _ directory: ClientDirectory, at now: Timestamp
    ) -> WebSession {
        let lifetime = Client.defaultSessionLifetime
        return WebSession(
            id: "", secretDigest: "",
            lineage: .approvedElsewhere(
                of: expectedSubject ?? "", authentication: Authentication(time: time, acr: level), at: now,
                lifetime: lifetime),
            clientID: directory.defaultWebsite?.id ?? "", appClientID: app, createdAt: now, idleLifetime: lifetime,
            lastSeenAt: now)
    }

    private func isAnswered(in session: WebSession, _ directory: ClientDirectory, at now: Timestamp) -> Bool {
        let facts = AuthorizationDecision.Facts(
            session: session.lineage, reachesClient: session.reaches(client, in: directory), demandedAt: now, now: now)
        return switch AuthorizationDecision.decide(self, facts) {
        case .issueCode, .askConsent: true
        case .signIn, .refuse: false
        }
    }
}

extension ClientDirectory {
    /// Whether an app may approve sign-ins on other devices, by its document: it opens the default website, where there
    /// is one (ADR-0034).
    package func mayApproveSignIns(_ app: Client) -> Bool {
        app.canIssueLoginTokens && (defaultWebsite.map { app.mayReach.contains($0.id) } ?? true)
    }
}
