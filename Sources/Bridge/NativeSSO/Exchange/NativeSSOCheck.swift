package import OAuth2

/// Decides a Native SSO exchange: every check is made, then one result is given.
///
/// No check is left out because an earlier one failed, so neither the answer nor its time tells which of several
/// things was wrong.
package enum NativeSSOCheck {
    package enum Decision: Hashable, Sendable {
        /// - Parameter scope: what the new tokens may hold.
        case passes(scope: Scope)
        /// - Parameters:
        ///   - flaw: the one that is told.
        ///   - all: every one, in order of rank, for the audit log.
        case refused(NativeSSOFlaw, all: [NativeSSOFlaw])
    }

    package static func decide(_ facts: NativeSSOFacts) -> Decision {
        let scope = grantedScope(facts)
        let checks: [NativeSSOFlaw: Bool] = [
            .disabled: !facts.settings.isEnabled,
            .clientNotEnabled: !mayUseNativeSSO(facts),
            .subjectTokenInvalid: facts.subjectToken == nil,
            .subjectTokenWrongKey: !SenderConstraint.permits(
                facts.subjectToken?.proofKeyThumbprint, shown: facts.proofKeyThumbprint),
            .hashMismatch: !hashMatches(facts),
            .subjectMismatch: facts.subjectToken?.subject != facts.secret?.device.subject,
            .sessionEnded: !(facts.session?.isAlive(at: facts.at) ?? false),
            .sessionElsewhere: !isOfDevice(facts),
            .subjectDisabled: facts.isSubjectDisabled,
            .crossClientOff: isCrossClient(facts) && isBetweenApps(facts) && !facts.settings.allowsCrossClient,
            .notShared: isCrossClient(facts) && !(facts.sourceClient?.shareWith.contains(facts.client.id) ?? false),
            .wrongAudience: facts.audience.map { $0 != facts.issuer } ?? false,
            .scopeWithoutOpenID: !(facts.requestedScope?.contains(Scope.openID) ?? true),
            .scopeTooWide: facts.requestedScope.map { !$0.isSubset(of: widestScope(facts)) } ?? false,
            .consentNeeded: !facts.hasConsent(scope),
            .authenticationTooWeak: !isStrongEnough(facts),
        ]
        var flaws = Set(checks.filter(\.value).keys)
        if let flaw = secretFlaw(facts) { flaws.insert(NativeSSOFlaw(flaw)) }
        let ranked = NativeSSOFlaw.allCases.filter(flaws.contains)
        guard let first = ranked.first else { return .passes(scope: scope) }
        return .refused(first, all: ranked)
    }

    private static func secretFlaw(_ facts: NativeSSOFacts) -> DeviceSecretFlaw? {
        guard let secret = facts.secret, facts.secretHash != nil else { return .unknown }
        if let flaw = secret.device.flaw(at: facts.at) { return flaw }
        if secret.isReplay(at: facts.at, overlap: facts.settings.overlap) { return .replayed }
        // A secret that is bound needs its key; one that is not takes any (RFC 9449 §5).
        return SenderConstraint.permits(secret.device.keyThumbprint, shown: facts.proofKeyThumbprint) ? nil : .wrongKey
    }

    /// A website that gets cookies is opened by the app that asks for it, and needs no device of its own.
    private static func mayUseNativeSSO(_ facts: NativeSSOFacts) -> Bool {
        facts.client.isNativeSSOEnabled
            || (facts.subjectToken?.kind == .accessToken && facts.client.delivery == .cookies)
    }

    private static func hashMatches(_ facts: NativeSSOFacts) -> Bool {
        guard let token = facts.subjectToken, token.kind == .idToken else { return true }
        guard let hash = token.deviceSecretHash, let secretHash = facts.secretHash else { return false }
        return ConstantTime.equals(Array(hash.utf8), Array(secretHash.utf8))
    }

    private static func isOfDevice(_ facts: NativeSSOFacts) -> Bool {
        guard let id = facts.subjectToken?.sessionID, let secret = facts.secret else { return false }
        return secret.sessionIDs.contains(id)
    }

    private static func isCrossClient(_ facts: NativeSSOFacts) -> Bool {
        facts.subjectToken.map { $0.clientID != facts.client.id } ?? false
    }

    /// The setting is about apps that sign in each other; a website is opened by its own list (`share_with`).
    private static func isBetweenApps(_ facts: NativeSSOFacts) -> Bool { facts.client.delivery != .cookies }

    /// No more than the user granted to the app that signed in, and than the asking client may have.
    private static func widestScope(_ facts: NativeSSOFacts) -> Scope {
        let held = facts.session?.scope ?? .empty
        return (facts.subjectToken?.scope.map(held.intersection) ?? held).intersection(facts.client.grantableScope)
    }

    private static func grantedScope(_ facts: NativeSSOFacts) -> Scope {
        let widest = widestScope(facts)
        return facts.requestedScope?.intersection(widest) ?? widest
    }

    private static func isStrongEnough(_ facts: NativeSSOFacts) -> Bool {
        facts.client.accepts(facts.session?.authentication ?? Authentication(), at: facts.at)
    }
}
