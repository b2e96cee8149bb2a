package import OAuth2

/// Decides a Native SSO exchange: every check is made, then one result is given.
///
/// No check is left out because an earlier one failed, so neither the answer nor its time tells which of several
/// things was wrong.
package enum NativeSSOCheck {
    /// The outcome of an exchange (contract §5.4).
    package enum Decision: Hashable, Sendable {
        /// - Parameter scope: what the new tokens may hold.
        case passes(scope: Scope)
        /// - Parameters:
        ///   - flaw: the one that is told.
        ///   - all: every one, in order of rank, for the audit log.
        case refused(NativeSSORefusal, all: [NativeSSORefusal])
    }

    package static func decide(_ facts: NativeSSOFacts) -> Decision {
        let scope = grantedScope(facts)
        let checks: [NativeSSORefusal: Bool] = [
            .disabled: !facts.settings.isEnabled,
            .subjectTokenInvalid: facts.subjectToken == nil,
            .subjectTokenWrongKey: !SenderConstraint.permits(
                facts.subjectToken?.proofKeyThumbprint, shown: facts.proofKeyThumbprint),
            .hashMismatch: !hashMatches(facts),
            .subjectMismatch: facts.subjectToken?.subject != facts.secret?.device.subject,
            .sessionEnded: !(facts.session?.isAlive(at: facts.at) ?? false),
            .sessionElsewhere: !isOfDevice(facts),
            .subjectDisabled: facts.isSubjectDisabled,
            .crossClientOff: isCrossClient(facts) && isBetweenApps(facts) && !facts.settings.allowsCrossClient,
            .notShared: (isCrossClient(facts) && !isShared(facts)) || !isStillSignedIn(facts),
            .clientNotEnabled: !mayUseNativeSSO(facts),
            .wrongAudience: facts.audience.map { $0 != facts.issuer } ?? false,
            .scopeWithoutOpenID: !(facts.requestedScope?.contains(Scope.openID) ?? true),
            .scopeTooWide: facts.requestedScope.map { !$0.isSubset(of: widestScope(facts)) } ?? false,
            .consentNeeded: !facts.hasConsent(scope),
            .authenticationTooWeak: !isStrongEnough(facts),
        ]
        var flaws = Set(checks.filter(\.value).keys)
        if let flaw = secretFlaw(facts) { flaws.insert(NativeSSORefusal(flaw)) }
        let ranked = NativeSSORefusal.allCases.filter(flaws.contains)
        guard let first = ranked.first else { return .passes(scope: scope) }
        return .refused(first, all: ranked)
    }

    private static func secretFlaw(_ facts: NativeSSOFacts) -> DeviceSecretRefusal? {
        guard let secret = facts.secret, facts.secretHash != nil else { return .unknown }
        if let flaw = secret.device.flaw(at: facts.at) { return flaw }
        if secret.isReplay(at: facts.at, overlap: facts.settings.overlap) { return .replayed }
        // A secret that is bound needs its key; one that is not takes any (RFC 9449 §5).
        return SenderConstraint.permits(secret.device.keyThumbprint, shown: facts.proofKeyThumbprint) ? nil : .wrongKey
    }

    /// Both clients must be allowed, or an app that it was taken from would go on with the secret that it has.
    private static func mayUseNativeSSO(_ facts: NativeSSOFacts) -> Bool {
        // An unregistered client shares with no other, and is refused for that.
        guard facts.sourceClient?.isNativeSSOEnabled ?? true else { return false }
        // A website that gets cookies is opened by the app that asks for it, and needs no device of its own.
        return facts.client.isNativeSSOEnabled
            || (facts.subjectToken?.kind == .accessToken && facts.client.delivery == .cookies)
    }

    private static func hashMatches(_ facts: NativeSSOFacts) -> Bool {
        guard let token = facts.subjectToken, token.kind == .idToken else { return true }
        guard let hash = token.deviceSecretHash, let secretHash = facts.secretHash else { return false }
        return ConstantTime.equals(hash.utf8, secretHash.utf8)
    }

    private static func isOfDevice(_ facts: NativeSSOFacts) -> Bool {
        guard let id = facts.subjectToken?.sessionID, let secret = facts.secret else { return false }
        return secret.sessionIDs.contains(id)
    }

    private static func isCrossClient(_ facts: NativeSSOFacts) -> Bool {
        facts.subjectToken.map { $0.clientID != facts.client.id } ?? false
    }

    /// A web view is opened by no app whose sign-in came from one that does not open it: nothing grows along an
    /// exchange (contract §16).
    private static func isShared(_ facts: NativeSSOFacts) -> Bool {
        let apps = isBetweenApps(facts) ? [facts.sourceClient] : [facts.sourceClient] + facts.appsAbove
        return apps.allSatisfy { $0?.shareWith.contains(facts.client.id) ?? false }
    }

    /// Whether the token's app still has its own sign-in by the documents of those above it. A token of a client that
    /// is no longer registered is refused as one of a client that shares with no other.
    private static func isStillSignedIn(_ facts: NativeSSOFacts) -> Bool {
        facts.sourceClient?.isStillSignedIn(by: facts.appsAbove) ?? true
    }

    /// The setting is about apps that sign in each other; a website is opened by its own list (`share_with`).
    private static func isBetweenApps(_ facts: NativeSSOFacts) -> Bool { facts.client.delivery != .cookies }

    /// No more than the user granted to the app that signed in and its document still names, and than the asking client
    /// may have.
    private static func widestScope(_ facts: NativeSSOFacts) -> Scope {
        let held = facts.session?.scope ?? .empty
        return facts.stillGranted(facts.subjectToken?.scope.map(held.intersection) ?? held)
            .intersection(facts.client.grantableScope)
    }

    private static func grantedScope(_ facts: NativeSSOFacts) -> Scope {
        let widest = widestScope(facts)
        return facts.requestedScope?.intersection(widest) ?? widest
    }

    private static func isStrongEnough(_ facts: NativeSSOFacts) -> Bool {
        facts.client.accepts(facts.session?.authentication ?? Authentication(), at: facts.at)
    }
}

/// What can be wrong with a Native SSO exchange (OpenID Connect Native SSO draft-07 §4, contract §5.4 and §11).
///
/// In order of rank: the first of several flaws is told. Its raw value is the reason in the audit log.
package enum NativeSSORefusal: String, Error, Hashable, Sendable, CaseIterable {
    case disabled = "native_sso_disabled"
    case secretUnknown = "secret_unknown"
    case secretExpired = "secret_expired"
    case secretRevoked = "secret_revoked"
    case secretReplayed = "secret_replayed"
    case secretWrongKey = "secret_wrong_key"
    case subjectTokenInvalid = "subject_token_invalid"
    case subjectTokenWrongKey = "subject_token_wrong_key"
    case hashMismatch = "ds_hash_mismatch"
    case subjectMismatch = "subject_mismatch"
    case sessionEnded = "session_ended"
    case sessionElsewhere = "session_of_another_device"
    case subjectDisabled = "subject_disabled"
    case crossClientOff = "cross_client_off"
    case notShared = "client_not_shared"
    /// After those two: a client that no other shares with is told that, and not what a setting of its own would change
    /// (contract §11).
    case clientNotEnabled = "client_without_native_sso"
    case wrongAudience = "wrong_audience"
    case scopeWithoutOpenID = "scope_without_openid"
    case scopeTooWide = "scope_too_wide"
    case consentNeeded = "consent_needed"
    case authenticationTooWeak = "authentication_too_weak"

    /// The error that the app is told.
    package var code: ErrorCode {
        switch self {
        case .disabled: .unsupportedGrantType
        case .clientNotEnabled: .unauthorizedClient
        case .secretUnknown, .secretExpired, .secretRevoked, .secretReplayed, .secretWrongKey, .hashMismatch,
            .subjectMismatch, .sessionEnded, .sessionElsewhere, .subjectDisabled:
            .invalidGrant
        case .subjectTokenInvalid, .subjectTokenWrongKey: .invalidSubjectToken
        case .crossClientOff, .notShared: .exchangeDenied
        case .wrongAudience: .invalidTarget
        case .scopeWithoutOpenID, .scopeTooWide: .invalidScope
        case .consentNeeded: .interactionRequired
        case .authenticationTooWeak: .insufficientUserAuthentication
        }
    }

    /// Sent with the code. Does not tell a thief which part of the loot is good.
    package var publicDescription: String {
        switch self {
        case .disabled: "Native SSO is switched off"
        case .clientNotEnabled: "this client or the token's may not use Native SSO"
        case .secretUnknown, .secretExpired, .secretRevoked, .secretReplayed, .secretWrongKey, .hashMismatch,
            .subjectMismatch, .sessionEnded, .sessionElsewhere, .subjectDisabled:
            "the device secret does not open this session; sign in again"
        case .subjectTokenInvalid, .subjectTokenWrongKey: "the subject token cannot be verified"
        case .crossClientOff, .notShared: "this client does not share users with the token's client"
        case .wrongAudience: "audience must be this issuer"
        case .scopeWithoutOpenID: "scope must contain openid"
        case .scopeTooWide: "scope is wider than what was granted"
        case .consentNeeded: "the user has to agree first"
        case .authenticationTooWeak: "the sign-in is too weak or too old for this client"
        }
    }

    init(_ flaw: DeviceSecretRefusal) {
        switch flaw {
        case .unknown: self = .secretUnknown
        case .expired: self = .secretExpired
        case .revoked: self = .secretRevoked
        case .replayed: self = .secretReplayed
        case .wrongKey: self = .secretWrongKey
        case .sessionEnded: self = .sessionEnded
        }
    }
}
