package import OAuth2

/// The forms that a self-issued ID token is taken in; all name the same subject, the key's thumbprint.
package enum SelfIssuedForm: String, Sendable, CaseIterable {
    /// The binding of 2012: `iss` and `user_id` are the public key.
    case keyAsIssuer = "seed2012"
    /// OpenID Connect Core §7: `iss` is `https://self-issued.me`.
    case core7
    /// SIOPv2 since draft 8: `iss` is `sub`.
    case siopv2
    /// SIOPv2 before: `iss` is `https://self-issued.me/v2`.
    case siopv2Legacy = "siopv2-legacy"
}

/// What a token must say to be taken.
package struct SelfIssuedTerms: Sendable {
    /// The names under which it may be for us; one suffices.
    package let audiences: [String]
    package let forms: Set<SelfIssuedForm>
    /// Those that it may bring, one of them; `nil` leaves it unjudged, to explain a token.
    package let nonces: [String]?
    package let now: Timestamp

    package init(
        audiences: [String], forms: Set<SelfIssuedForm> = Set(SelfIssuedForm.allCases), nonces: [String]?,
        now: Timestamp
    ) {
        self.audiences = audiences
        self.forms = forms
        self.nonces = nonces
        self.now = now
    }
}

/// A self-issued ID token that holds.
package struct SelfIssuedToken: Sendable {
    package let form: SelfIssuedForm
    /// Who the user is: the RFC 7638 thumbprint of the key, 43 characters.
    package let thumbprint: String
    package let algorithm: SignatureAlgorithm
    /// The one of the terms' that it brought; `nil` where they leave it unjudged.
    let nonce: String?
    /// What the user says of themselves; unverified.
    let told: [String: JSONValue]

    /// How far clocks may be apart; for a ``KeyProof`` too.
    static let tolerance = Duration.seconds(60)
    /// How old a token may be, without the tolerance.
    private static let maximumAge = Duration.seconds(600)
    private static let coreIssuer = "https://self-issued.me"
    private static let legacyIssuer = "https://self-issued.me/v2"
    /// The kind of name that keys have here (RFC 9278).
    static let syntaxType = "urn:ietf:params:oauth:jwk-thumbprint"
    /// What a key's name begins with.
    package static let thumbprintURN = "\(syntaxType):sha-256:"

    /// Makes every check in order; the first that fails decides.
    /// - Parameters:
    ///   - passed: told of each check that holds.
    ///   - proven: told the thumbprint of the key as soon as it is sure who signed, whatever is wrong with the rest.
    package init(
        answer parameters: FormParameters, terms: SelfIssuedTerms, passed: (String) -> Void = { _ in },
        proven: (String) -> Void = { _ in }
    ) throws(SelfIssuedRefusal.Reason) {
        guard parameters["error"] == nil else { throw .phoneError }
        guard let text = parameters["id_token"], let token = CompactJWS(text), let claims = token.claims else {
            throw .malformed
        }
        passed("token is well-formed")
        guard let name = token.algorithm, SelfIssuedKey.algorithms.contains(where: { $0.rawValue == name }) else {
            throw .algorithmNotAllowed
        }
        let form = try Self.form(of: claims, allowed: terms.forms)
        passed("form is known")
        let key = try Self.key(of: claims, form)
        // The key decides what alg may be, not the token.
        guard name == key.algorithm.rawValue else { throw .algorithmNotAllowed }
        passed("key is good")
        try Self.checkSubject(claims, form, key, header: token.header)
        passed("subject is the key")
        guard key.signed(token) else { throw .signatureInvalid }
        passed("signature holds")
        proven(key.thumbprint)
        guard Self.isMeant(claims, for: terms.audiences) else { throw .audienceMismatch }
        passed("meant for this website")
        try Self.checkTimes(of: claims, at: terms.now)
        passed("token is fresh")
        nonce = try Self.nonce(of: claims, among: terms.nonces)
        if nonce != nil { passed("nonce is ours") }
        if let hash = claims["at_hash"], let access = parameters["access_token"] {
            let expected = SHA256Hash(of: access).base64URLOfHalf
            guard hash.string == expected else { throw .accessTokenMismatch }
            passed("access token belongs to it")
        }
        var told = claims
        if let text = parameters["userinfo_token"] {
            told = try Self.userInfo(text, beside: claims, key, nonce, terms)
            passed("userinfo token belongs to it")
        }
        self.form = form
        thumbprint = key.thumbprint
        algorithm = key.algorithm
        self.told = told
    }

    private static func form(
        of claims: [String: JSONValue], allowed: Set<SelfIssuedForm>
    ) throws(SelfIssuedRefusal.Reason) -> SelfIssuedForm {
        guard let issuer = claims["iss"]?.string else { throw .notSelfIssued }
        let subject = claims["sub"]?.string
        let isKeyAsIssuer = claims["user_id"]?.string.map { $0.hasSameBytes(as: issuer) } ?? false
        let isDecentralised = subject?.utf8.starts(with: "did:".utf8) == true && claims["sub_jwk"] == nil
        let form: SelfIssuedForm
        switch issuer {
        case _ where isDecentralised && !isKeyAsIssuer: throw .subjectTypeNotSupported
        case coreIssuer: form = .core7
        case legacyIssuer: form = .siopv2Legacy
        case _ where isKeyAsIssuer: form = .keyAsIssuer
        case _ where subject.map { $0.hasSameBytes(as: issuer) } ?? false: form = .siopv2
        default: throw .notSelfIssued
        }
        guard allowed.contains(form) else { throw .notSelfIssued }
        return form
    }

    private static func key(
        of claims: [String: JSONValue], _ form: SelfIssuedForm
    ) throws(SelfIssuedRefusal.Reason) -> SelfIssuedKey {
        switch form {
        case .keyAsIssuer: try SelfIssuedKey(issuer: claims["iss"]?.string ?? "")
        case .core7, .siopv2, .siopv2Legacy: try SelfIssuedKey(jwk: claims["sub_jwk"] ?? .null)
        }
    }

    /// The names that a key has as a subject.
    private static func names(
        of key: SelfIssuedKey, _ form: SelfIssuedForm, issuer: String?
    ) -> [String] {
        switch form {
        case .core7: [key.thumbprint]
        case .siopv2, .siopv2Legacy: [key.thumbprint, thumbprintURN + key.thumbprint]
        case .keyAsIssuer: [key.thumbprint, thumbprintURN + key.thumbprint] + [issuer].compactMap(\.self)
        }
    }

    private static func checkSubject(
        _ claims: [String: JSONValue], _ form: SelfIssuedForm, _ key: SelfIssuedKey, header: [String: JSONValue]
    ) throws(SelfIssuedRefusal.Reason) {
        if form != .keyAsIssuer || claims["sub"] != nil {
            guard let subject = claims["sub"]?.string,
                names(of: key, form, issuer: claims["iss"]?.string).contains(where: { $0.hasSameBytes(as: subject) })
            else { throw .subjectMismatch }
        }
        // The same key once more, wherever it is repeated.
        for other in [claims["sub_jwk"], header["jwk"]].compactMap(\.self) {
            guard try SelfIssuedKey(jwk: other).thumbprint == key.thumbprint else { throw .subjectMismatch }
        }
    }

    private static func nonce(
        of claims: [String: JSONValue], among nonces: [String]?
    ) throws(SelfIssuedRefusal.Reason) -> String? {
        guard let nonces else { return nil }
        guard let found = claims["nonce"]?.string, !found.isEmpty else { throw .nonceMissing }
        guard nonces.contains(where: { ConstantTime.equals(found.utf8, $0.utf8) }) else { throw .nonceMismatch }
        return found
    }

    private static func isMeant(_ claims: [String: JSONValue], for audiences: [String]) -> Bool {
        let named = claims["aud"]?.oneOrMore ?? []
        return named.contains { name in audiences.contains { $0.hasSameBytes(as: name) } }
    }

    private static func checkTimes(
        of claims: [String: JSONValue], at now: Timestamp
    ) throws(SelfIssuedRefusal.Reason) {
        let start = claims["nbf"].flatMap(Timestamp.init(nearest:))
        guard let expires = claims["exp"].flatMap(Timestamp.init(nearest:)),
            let issued = claims["iat"].flatMap(Timestamp.init(nearest:)), claims["nbf"] == nil || start != nil
        else { throw .malformed }
        guard now < expires + tolerance else { throw .expired }
        guard issued >= now - maximumAge - tolerance, issued <= now + tolerance, (start ?? issued) <= now + tolerance
        else { throw .issuedOutOfRange }
    }

    /// The claims of the second token, which comes with the form of 2012.
    private static func userInfo(
        _ text: String, beside claims: [String: JSONValue], _ key: SelfIssuedKey, _ nonce: String?,
        _ terms: SelfIssuedTerms
    ) throws(SelfIssuedRefusal.Reason) -> [String: JSONValue] {
        guard let token = CompactJWS(text), let told = token.claims, token.algorithm == key.algorithm.rawValue,
            key.signed(token)
        else { throw .userInfoSignatureInvalid }
        for name in ["iss", "user_id", "sub"] {
            guard let found = told[name] else { continue }
            // As the ID token says it (OpenID Connect Core §5.3.2); one of 2012 may leave `sub` to its key.
            let names =
                name == "sub" && claims["sub"] == nil
                ? names(of: key, .keyAsIssuer, issuer: claims["iss"]?.string)
                : [claims[name]?.string].compactMap(\.self)
            guard let text = found.string, names.contains(where: { $0.hasSameBytes(as: text) }) else {
                throw .userInfoSubjectMismatch
            }
        }
        guard isMeant(told, for: terms.audiences) else { throw .audienceMismatch }
        if let other = told["nonce"], let nonce {
            guard ConstantTime.equals((other.string ?? "").utf8, nonce.utf8) else { throw .nonceMismatch }
        }
        if let end = told["exp"] {
            guard let end = Timestamp(nearest: end), terms.now < end + tolerance else { throw .expired }
        }
        return told
    }
}
