import Bridge
import OAuth2

extension TrustedIssuerSettings {
    /// Everything wrong with a list of issuers; nothing is read or fetched.
    /// - Parameters:
    ///   - incomplete: those of which something could not be read: they are judged only together with the others.
    ///   - own: this service, whose users they must not be able to name either.
    package static func problems(
        in issuers: [TrustedIssuerSettings], and incomplete: [TrustedIssuerSettings] = [],
        beside own: OwnIssuer = .none
    ) -> [TrustedIssuerError] {
        issuers.flatMap { $0.ownProblems } + mutualProblems(in: issuers + incomplete, beside: own)
    }

    /// What is wrong among issuers, and with their names next to this service's own.
    private static func mutualProblems(
        in issuers: [TrustedIssuerSettings], beside own: OwnIssuer
    ) -> [TrustedIssuerError] {
        var problems: [TrustedIssuerError] = []
        for issuer in issuers where own.isNamed(issuer.issuer) {
            problems.append(.init(issuer: issuer.issuer, field: "issuer", text: "is this service's own name"))
        }
        var seen: Set<[UInt8]> = []
        for issuer in issuers where !seen.insert(Array(issuer.issuer.utf8)).inserted {
            problems.append(.init(issuer: issuer.issuer, field: "issuer", text: "is listed twice"))
        }
        // A token that is not a JWT names no issuer, so only one endpoint can be asked about it.
        if issuers.count(where: \.usesIntrospection) > 1 {
            problems.append(.init(field: "introspection", text: "is possible for one issuer only"))
        }
        if own.signsUsersIn { problems += issuers.flatMap { $0.namespaceProblems } }
        if issuers.count > 1 {
            problems += prefixProblems(in: issuers, isMissingNoted: own.signsUsersIn)
            problems += issuers.filter { $0.clients == nil }.map { issuer in
                .init(
                    issuer: issuer.issuer, field: "clients",
                    text: "is required as soon as there are two issuers: the clients that this one's tokens may name")
            }
        }
        return problems
    }

    /// What would let it name the users of this service's own accounts.
    private var namespaceProblems: [TrustedIssuerError] {
        if sharesSubjectsWithAccounts {
            return subjectPrefix.isEmpty
                ? []
                : [
                    .init(
                        issuer: issuer, field: "shares_subjects_with_accounts",
                        text: "has no meaning beside subject_prefix: no account's subject begins with one")
                ]
        }
        guard !subjectPrefix.isEmpty else {
            return [
                .init(
                    issuer: issuer, field: "subject_prefix",
                    text: "is required where users sign in here too (provider.enabled, accounts, upstream providers, "
                        + "self_issued.enabled), such as \"backend:\"; or set shares_subjects_with_accounts: true when "
                        + "the issuer's users are the same people as the accounts, so that its tokens may sign in as "
                        + "any of them")
            ]
        }
        // An account's subject is base64url, so whatever follows, a prefix with another character names none.
        guard subjectPrefix.utf8.contains(where: { !ASCII.isBase64URL($0) }) else {
            return [
                .init(
                    issuer: issuer, field: "subject_prefix",
                    text: "must hold a character that no account's subject has, such as a colon at its end")
            ]
        }
        return []
    }

    // With the prefixes `a` and `ab`, `a` + `bob` and `ab` + `ob` would be one user: none may begin another.
    private static func prefixProblems(
        in issuers: [TrustedIssuerSettings], isMissingNoted: Bool
    ) -> [TrustedIssuerError] {
        issuers.enumerated().compactMap { index, issuer in
            let prefix = Array(issuer.subjectPrefix.utf8)
            if prefix.isEmpty {
                if isMissingNoted, !issuer.sharesSubjectsWithAccounts { return nil }
                return .init(
                    issuer: issuer.issuer, field: "subject_prefix",
                    text: "is required as soon as there are two issuers, whoever shares subjects with accounts"
                )
            }
            let clash = issuers.enumerated().first { other, settings in
                other != index && Array(settings.subjectPrefix.utf8).starts(with: prefix)
            }
            return clash.map { clash in
                .init(
                    issuer: issuer.issuer, field: "subject_prefix",
                    text: "begins the prefix of \(clash.element.issuer); no prefix may be the beginning of another")
            }
        }
    }

    private var ownProblems: [TrustedIssuerError] {
        var problems: [TrustedIssuerError] = []
        func check(_ passes: Bool, _ field: String, _ text: String) {
            if !passes { problems.append(.init(issuer: issuer, field: field, text: text)) }
        }
        check(Self.isWord(issuer, upTo: 255), "issuer", "must be 1 to 255 visible ASCII characters")
        check(!audiences.isEmpty, "audience", "needs at least one")
        check(
            audiences.allSatisfy { ClaimText.isAcceptable($0) }, "audience",
            "must be 1 to 255 bytes without control characters")
        check(ClaimText.isAcceptable(subjectClaim), "subject_claim", "must be a claim's name")
        check(ClaimText.isAcceptable(clientClaim), "client_claim", "must be a claim's name")
        check(
            fallbackClientClaim.map { ClaimText.isAcceptable($0) } ?? true, "fallback_client_claim",
            "must be a claim's name")
        check(ClaimText.isAcceptable(deviceClaim), "device_claim", "must be a claim's name")
        check(groupsClaim.map { ClaimText.isAcceptable($0) } ?? true, "groups_claim", "must be a claim's name")
        check(
            subjectPrefix.isEmpty || Self.isWord(subjectPrefix, upTo: 64), "subject_prefix",
            "must be at most 64 visible ASCII characters")
        check(
            !subjectPrefix.utf8.starts(with: Subject.clientPrefix.utf8), "subject_prefix",
            "must not begin with \(Subject.clientPrefix), which stands before clients that act for themselves")
        check(clients?.isEmpty != true, "clients", "needs at least one")
        check(
            Self.maximumTokenLifetimes.contains(maximumTokenLifetime), "max_token_lifetime",
            "must be a duration from 1m to 366d")
        check(Self.leeways.contains(leeway), "leeway", "must be 0 to 60 seconds")
        return problems + verificationProblems
    }

    private var verificationProblems: [TrustedIssuerError] {
        func problem(_ field: String, _ text: String) -> [TrustedIssuerError] {
            [.init(issuer: issuer, field: field, text: text)]
        }
        let insecure = "must be an https URL; http is possible on loopback only"
        switch verification {
        case .hmac(let secret, _, let algorithm, _):
            guard algorithm.isSymmetric else { return problem("hmac.algorithm", "must be HS256, HS384 or HS512") }
            return Self.fault(of: secret, for: algorithm).map { problem("hmac.secret_file", $0) } ?? []
        case .introspection(let endpoint, let clientID, let clientSecret, _):
            var problems = EndpointURL(endpoint) == nil ? problem("introspection.endpoint", insecure) : []
            if clientID.isEmpty { problems += problem("introspection.client_id", "is missing") }
            if let fault = Self.fault(of: clientSecret) {
                problems += problem("introspection.client_secret_file", fault)
            }
            return problems
        case .jwksFile(let path):
            return (path.isEmpty ? problem("jwks_file", "is missing") : []) + algorithmProblems
        case .jwksURL(let url):
            return (EndpointURL(url) == nil ? problem("jwks_uri", insecure) : []) + algorithmProblems
        case .discovery:
            let isURL = EndpointURL(issuer, allowingQuery: false) != nil
            return (isURL ? [] : problem("issuer", insecure)) + algorithmProblems
        }
    }

    /// Why a shared secret cannot be used; `nil` for one that can.
    static func fault(of secret: Secret<[UInt8]>, for algorithm: SignatureAlgorithm) -> String? {
        let minimum = algorithm.minimumSecretLength
        return secret.expose().count >= minimum ? nil : "needs at least \(minimum) bytes (RFC 7518 §3.2)"
    }

    /// Why what an introspection endpoint is shown cannot be used; `nil` for a secret that can.
    static func fault(of clientSecret: Secret<String>) -> String? {
        clientSecret.expose().isEmpty ? "is empty" : nil
    }

    private var algorithmProblems: [TrustedIssuerError] {
        // A public key used as a shared secret is the classical way to forge a token.
        guard !algorithms.isEmpty, !algorithms.contains(where: \.isSymmetric) else {
            return [
                .init(issuer: issuer, field: "algorithms", text: "must name at least one, and only public-key ones")
            ]
        }
        return []
    }

    private static func isWord(_ text: String, upTo limit: Int) -> Bool {
        (1...limit).contains(text.utf8.count) && text.utf8.allSatisfy(ASCII.isVisible)
    }
}
