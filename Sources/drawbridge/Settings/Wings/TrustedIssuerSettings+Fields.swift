import Bridge
import BridgeHTTP
import Federation
import OAuth2

extension TrustedIssuerSettings {
    static let list = Setting.objects(
        "trusted_issuers", "Whose bearer tokens are believed. At least one is needed to issue.")

    /// - Parameter own: this service, whose users they must not be able to name.
    static func read(_ settings: SettingsReader, beside own: OwnIssuer) -> [TrustedIssuerSettings] {
        var issuers: [TrustedIssuerSettings] = []
        // What is wrong with one must not hide what is wrong among all: problems are listed at once (contract §13).
        var incomplete: [TrustedIssuerSettings] = []
        // Issuers and fields of theirs that were noted: what could not be read is not also missing.
        var noted: Set<[String]> = []
        // By name, for the place of what is wrong among all.
        var entries: [String: SettingFields] = [:]
        for (index, node) in settings[list].enumerated() {
            var fields = SettingFields(node, path: "\(list.key.name)[\(index)]")
            let issuer = TrustedIssuerSettings(&fields, absolute: settings.absolute)
            fields.problems.forEach { settings.note($0) }
            guard let issuer else { continue }
            entries[issuer.issuer] = fields
            if fields.problems.isEmpty { issuers.append(issuer) } else { incomplete.append(issuer) }
            for problem in fields.problems {
                noted.insert([issuer.issuer, String(problem.key.dropFirst(fields.path.count + 1))])
            }
        }
        for problem in problems(in: issuers, and: incomplete, beside: own)
        where !noted.contains([problem.issuer ?? "", problem.field]) {
            let place = problem.issuer.flatMap { entries[$0]?.place(of: problem.field) }
            settings.note(SettingError(problem, at: place))
        }
        return issuers
    }
}

extension SettingError {
    init(_ problem: TrustedIssuerError, at source: SettingSource? = nil) {
        let list = TrustedIssuerSettings.list.key.name
        self.init(problem.issuer.map { "\(list)[\($0)].\(problem.field)" } ?? list, at: source, problem.text)
    }
}

extension OwnIssuer {
    /// As far as the settings say: a start also looks for accounts in the database.
    /// - Parameter takesPhoneKeys: whether users may sign in with a key of their phone, which makes accounts.
    init(
        issuer: WebOrigin?, isProvider: Bool, upstreamProviders: [UpstreamProviderSettings], takesPhoneKeys: Bool
    ) {
        self.init(
            name: issuer?.description, signsUsersIn: isProvider || !upstreamProviders.isEmpty || takesPhoneKeys)
    }

    init(_ settings: DrawbridgeSettings) {
        self.init(
            issuer: settings.origins.issuer, isProvider: settings.provider.isEnabled,
            upstreamProviders: settings.upstreamProviders, takesPhoneKeys: settings.selfIssued.isEnabled)
    }
}

extension DrawbridgeSettings {
    /// What is wrong with these settings as soon as there is an account in the database, which a start then refuses
    /// (contract §1.3); nothing where they are written for accounts.
    var problemsWithAccounts: [SettingError] {
        let own = OwnIssuer(name: origins.issuer.description, signsUsersIn: true)
        return TrustedIssuerSettings.problems(in: trustedIssuers, beside: own).map { SettingError($0) }
    }
}

// One entry as the settings file writes it.
extension TrustedIssuerSettings {
    private static let sourceFields = ["hmac", "jwks_file", "jwks_uri", "discovery", "introspection"]

    /// - Returns: `nil` without a name. When anything else is wrong, which `fields` then says, what is missing is
    ///   empty.
    init?(_ fields: inout SettingFields, absolute: (String) -> String) {
        let issuer = fields.requiredText("issuer")
        let audiences = fields.list("audience")
        if audiences == nil { fields.note("audience", "is required: a token for somebody else must not count") }
        let algorithms = Self.algorithms(&fields)
        let leeway = fields.duration("leeway", in: Self.leeways, expecting: "a duration from 0s to 60s")
        let sources = [
            Self.hmac(&fields, absolute: absolute),
            fields.text("jwks_file").map { .jwksFile(path: absolute($0)) },
            fields.text("jwks_uri").map { .jwksURL($0) }, Self.discovery(&fields),
            Self.introspection(&fields, absolute: absolute),
        ].compactMap { $0 }
        let subjectClaim = fields.text("subject_claim") ?? Self.defaultSubjectClaim
        let clientClaim = fields.text("client_claim") ?? Self.defaultClientClaim
        let fallbackClientClaim = fields.text("fallback_client_claim")
        let deviceClaim = fields.text("device_claim") ?? Self.defaultDeviceClaim
        let groupsClaim = fields.text("groups_claim")
        let subjectPrefix = fields.text("subject_prefix") ?? ""
        let sharesSubjects = fields.boolean("shares_subjects_with_accounts") ?? false
        let clients = fields.list("clients").map { Set($0.map(ClientID.init(rawValue:))) }
        let maximumTokenLifetime = fields.duration(
            "max_token_lifetime", in: Self.maximumTokenLifetimes, expecting: "a duration from 1m to 366d")
        if sources.count != 1, fields.problems.isEmpty {
            fields.note(
                "jwks_uri", "exactly one of \(Self.sourceFields.joined(separator: ", ")) says how tokens are verified")
        }
        fields.refuseUnknown()
        guard let issuer else { return nil }
        self.init(
            issuer: issuer, audiences: audiences ?? [], verification: sources.first ?? .jwksFile(path: ""),
            algorithms: algorithms ?? Self.defaultAlgorithms, subjectClaim: subjectClaim, clientClaim: clientClaim,
            fallbackClientClaim: fallbackClientClaim, deviceClaim: deviceClaim, groupsClaim: groupsClaim,
            subjectPrefix: subjectPrefix, sharesSubjectsWithAccounts: sharesSubjects, clients: clients,
            leeway: leeway ?? Self.defaultLeeway,
            maximumTokenLifetime: maximumTokenLifetime ?? Self.defaultMaximumTokenLifetime)
    }

    private static func algorithms(_ fields: inout SettingFields) -> Set<SignatureAlgorithm>? {
        guard let names = fields.list("algorithms") else { return nil }
        let known = names.compactMap(SignatureAlgorithm.init(joseName:))
        if known.count != names.count {
            let words = SignatureAlgorithm.allCases.filter { !$0.isSymmetric }.map(\.rawValue)
            fields.note(
                "algorithms", value: names.joined(separator: ","), "must be of \(words.joined(separator: ", "))")
        }
        return Set(known)
    }

    private static func hmac(_ fields: inout SettingFields, absolute: (String) -> String) -> Verification? {
        guard var inner = fields.object("hmac") else { return nil }
        defer { fields.adopt(inner) }
        let keyID = inner.text("key_id")
        let name = inner.text("algorithm") ?? SignatureAlgorithm.hs256.rawValue
        let path = inner.requiredText("secret_file").map(absolute)
        let secret = inner.secret("secret_file", at: path) { try $0.key() }
        inner.refuseUnknown()
        guard let algorithm = SignatureAlgorithm(rawValue: name), algorithm.isSymmetric else {
            inner.note("algorithm", value: name, "must be HS256, HS384 or HS512")
            return nil
        }
        guard let path, let secret else { return nil }
        return .hmac(
            secret: secret, keyID: keyID, algorithm: algorithm,
            reread: { try reread("hmac.secret_file", at: path) { try $0.key() } })
    }

    private static func discovery(_ fields: inout SettingFields) -> Verification? {
        fields.boolean("discovery") == true ? .discovery : nil
    }

    private static func introspection(_ fields: inout SettingFields, absolute: (String) -> String) -> Verification? {
        guard var inner = fields.object("introspection") else { return nil }
        defer { fields.adopt(inner) }
        let endpoint = inner.requiredText("endpoint")
        let clientID = inner.requiredText("client_id")
        let path = inner.requiredText("client_secret_file").map(absolute)
        let secret = inner.secret("client_secret_file", at: path) { try $0.text() }
        inner.refuseUnknown()
        guard let endpoint, let clientID, let path, let secret else { return nil }
        return .introspection(
            endpoint: endpoint, clientID: clientID, clientSecret: secret,
            reread: { try reread("introspection.client_secret_file", at: path) { try $0.text() } })
    }

    /// The secret as it is at a reload.
    private static func reread<Value>(
        _ field: String, at path: String, _ read: (SecretFile) throws -> Value
    ) throws(TrustedIssuerError) -> Value {
        do {
            return try read(SecretFile(path: path))
        } catch {
            throw TrustedIssuerError(field: field, text: "\(error)")
        }
    }
}
