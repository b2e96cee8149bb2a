import OAuth2

extension RefusalLog {
    /// A browser that came back at once from where it was sent.
    func handOffStuck(
        _ bearer: BearerIdentity, at website: ClientID, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        let pair = "hand-off \(bearer.sessionID?.rawValue ?? "") \(website.rawValue)"
        try await record(
            AuditEvent(
                at: now, type: .loginTokenRefused, outcome: .failure, reason: RefusalReason.handOffStuck.rawValue,
                subject: bearer.subject, clientID: bearer.clientID, targetClientID: website,
                sessionID: bearer.sessionID, origin: origin, detail: JSONObjectWriter.atIssue().finishedText()),
            within: .repeats(of: pair))
    }

    /// An issue that was refused to a verified bearer, but for a limit, which is written down where it is counted.
    /// - Parameter repeating: a session that no limit holds back.
    func issueRefused(
        _ error: OAuthError, _ issue: RefusedIssue, among clients: ClientDirectory, origin: RequestOrigin,
        repeating: SessionID? = nil, at now: Timestamp
    ) async throws {
        let client = clients.recordable(issue.bearer.clientID)
        let website = issue.website.flatMap { clients[$0]?.id }
        let isRedirect = error.code == .invalidRedirect
        let event = AuditEvent(
            at: now, type: isRedirect ? .redirectRefused : .loginTokenRefused, outcome: .failure,
            reason: error.detail ?? error.code.rawValue, subject: issue.bearer.subject, clientID: client,
            targetClientID: website, sessionID: issue.bearer.sessionID, origin: origin,
            detail: isRedirect
                ? issue.redirect.map(RefusedRedirect.detail)
                : issue.detail(refusedWith: error, namingClient: client != nil, website: website != nil))
        guard let repeating else { return try await record(event) }
        try await record(event, within: .repeats(of: repeating.rawValue))
    }
}

/// An issue or a hand-off that is refused: to whom, and what was asked for.
struct RefusedIssue: Sendable {
    let bearer: BearerIdentity
    /// The website that was named, registered or not, or the default one; `nil` where there is none, or nobody could
    /// read which.
    var website: ClientID?
    var redirect: [UInt8]?

    /// With the name of a website that nobody has, so that its sender finds the mistake, or the length alone where a
    /// secret is in it; and with what the answer says where the reason is no more than its code.
    /// - Parameters:
    ///   - namesClient: whether the event has the app in its own field.
    ///   - namesWebsite: whether it has the website in its own.
    fileprivate func detail(
        refusedWith error: OAuthError, namingClient namesClient: Bool, website namesWebsite: Bool
    ) -> String {
        var detail = JSONObjectWriter.atIssue()
        if error.detail == nil { detail.add("description", error.publicDescription.map(StrayedSecret.redacting)) }
        if !namesClient { detail.add("length", Int64(bearer.clientID.rawValue.utf8.count)) }
        if let website, !namesWebsite {
            let name = Array(website.rawValue.utf8)
            if StrayedSecret.isIn(name[...]) {
                detail.add("target_length", Int64(name.count))
            } else {
                detail.add("target", json: RefusedParameter.quoted(name[...], 64))
            }
        }
        return detail.finishedText()
    }
}

extension JSONObjectWriter {
    /// The `detail` of what was refused before there was a token, for more to be added to.
    fileprivate static func atIssue() -> Self {
        var detail = Self()
        detail.add("at", "issue")
        return detail
    }
}
