package import OAuth2

extension NativeSSOExchange {
    /// What an exchange with these parameters would come to, check by check; counts and opens nothing (contract §13).
    package func explain(_ parameters: FormParameters, origin: RequestOrigin, at now: Timestamp) async throws
        -> Explanation
    {
        var explanation = Explanation(rule: "native_sso")
        let client = parameters["client_id"].flatMap { clients.current[ClientID(rawValue: $0)] }
        let kind: NativeSSOFacts.SubjectToken.Kind? =
            switch parameters["subject_token_type"] {
            case TokenTypeURI.idToken?: .idToken
            case TokenTypeURI.accessToken?: .accessToken
            default: nil
            }
        let actorTypes = [TokenTypeURI.deviceSecret, TokenTypeURI.oldDeviceSecret]
        guard explanation.check("client is known", fails: client == nil ? "unknown_client" : nil), let client,
            explanation.check("subject_token_type", fails: kind == nil ? "subject_token_type" : nil), let kind,
            explanation.check(
                "actor_token_type",
                fails: parameters["actor_token_type"].map(actorTypes.contains) ?? false ? nil : "actor_token_type"),
            explanation.check(
                "subject_token is there", fails: parameters["subject_token"] == nil ? "missing_subject_token" : nil),
            let subjectToken = parameters["subject_token"]
        else { return explanation }
        let secret = parameters["actor_token"].flatMap { OpaqueSecret($0, kind: .deviceSecret) }
        let known: PresentedDeviceSecret? =
            if let secret { try await store.deviceSecret(digest: secret.digest) } else { nil }
        let facts = try await facts(
            Order(kind: kind, subjectToken: Secret(subjectToken), deviceSecret: Secret("")), secret: secret,
            known: known, settings: try await configuration.current(),
            request: TokenRequest(parameters: parameters, client: client, origin: origin, at: now))
        var flaws: Set<NativeSSOFlaw> = []
        if case .refused(_, let all) = NativeSSOCheck.decide(facts) { flaws = Set(all) }
        for flaw in NativeSSOFlaw.allCases {
            explanation.check(flaw.check, fails: flaws.contains(flaw) ? flaw.rawValue : nil)
        }
        return explanation
    }
}

extension NativeSSOFlaw {
    /// What is checked, as an administrator reads it.
    var check: String {
        switch self {
        case .disabled: "Native SSO is on"
        case .clientNotEnabled: "client may use Native SSO"
        case .secretUnknown: "device secret is known"
        case .secretExpired: "device secret has not expired"
        case .secretRevoked: "device secret was not revoked"
        case .secretReplayed: "device secret was not replaced"
        case .secretWrongKey: "device secret comes with its key"
        case .subjectTokenInvalid: "subject token is ours and unchanged"
        case .subjectTokenWrongKey: "subject token comes with its key"
        case .hashMismatch: "ds_hash fits the device secret"
        case .subjectMismatch: "both are of one user"
        case .sessionEnded: "session lives"
        case .sessionElsewhere: "session is of this device"
        case .subjectDisabled: "user may sign in"
        case .crossClientOff: "exchange between apps is on"
        case .notShared: "client is in share_with"
        case .wrongAudience: "audience is this issuer"
        case .scopeWithoutOpenID: "scope contains openid"
        case .scopeTooWide: "scope is no wider than granted"
        case .consentNeeded: "user has agreed"
        case .authenticationTooWeak: "sign-in is strong and fresh enough"
        }
    }
}
