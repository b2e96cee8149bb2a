import Bridge
import OAuth2

/// The claims of a token whose origin is proven, checked and mapped to whom they name.
struct BearerClaims: Sendable {
    let settings: TrustedIssuerSettings
    let claims: [String: JSONValue]

    /// Checks `iss`, `aud` and the times, and maps the rest.
    /// - Parameters:
    ///   - cacheLifetime: how long the answer may be believed.
    ///   - isSigned: whether the token speaks for itself. An introspection answer may leave `exp` out (RFC 7662 §2.2),
    ///     and may be about a token of any life: it is asked for again soon.
    func identity(at now: Timestamp, cacheLifetime: Duration, isSigned: Bool) throws(BearerRefusal) -> BearerIdentity {
        try checkAudience()
        let expiresAt = try expiry(at: now, isRequired: isSigned) ?? now + cacheLifetime
        let issuedAt = try start("iat", at: now)
        _ = try start("nbf", at: now)
        if isSigned { try checkLifetime(from: issuedAt ?? now, to: expiresAt - settings.leeway) }
        let proofKey = try proofKeyThumbprint()
        let client = ClientID(rawValue: try clientID())
        guard settings.clients?.contains(client) ?? true else { throw .clientOfAnotherIssuer }
        return BearerIdentity(
            subject: try subject(), clientID: client, issuer: settings.issuer,
            authority: settings.sharesSubjectsWithAccounts ? .trustedWithAccounts : .trusted,
            sessionID: optionalText("sid").map(SessionID.init(rawValue:)),
            deviceID: optionalText(settings.deviceClaim), groups: groups,
            authentication: Authentication(
                time: try authenticationTime(issuedAt: issuedAt, at: now), acr: optionalText("acr"), amr: methods),
            statedSignIn: claims["auth_time"].flatMap(Timestamp.init(numericDate:)),
            proofKeyThumbprint: proofKey, expiresAt: expiresAt, cacheableUntil: min(expiresAt, now + cacheLifetime))
    }

    private func subject() throws(BearerRefusal) -> Subject {
        let subject = Subject(rawValue: settings.subjectPrefix + (try subjectText()))
        guard !subject.isOfClient else { throw .subjectOfAnotherIssuer }
        return subject
    }

    /// Many backends number their users: the digits name the user, so that `42` and `"42"` are the same one. Not in
    /// `sub`, which is a string (RFC 7519 §4.1.2).
    private func subjectText() throws(BearerRefusal) -> String {
        let name = settings.subjectClaim
        if name != "sub", let digits = claims[name]?.wholeNumber { return digits }
        return try text(name)
    }

    /// Never newer than the token itself, whatever the issuer's clock or its user says: a sign-in of tomorrow would
    /// look fresh until then.
    private func authenticationTime(issuedAt: Timestamp?, at now: Timestamp) throws(BearerRefusal) -> Timestamp? {
        guard let time = claims["auth_time"].flatMap(Timestamp.init(numericDate:)) else { return nil }
        guard time - settings.leeway <= now else { throw .notYetValid }
        return min(time, issuedAt ?? now, now)
    }

    private func checkLifetime(from start: Timestamp, to end: Timestamp) throws(BearerRefusal) {
        guard end - start <= settings.maximumTokenLifetime else { throw .livesTooLong }
    }

    private func checkAudience() throws(BearerRefusal) {
        guard let value = claims["aud"] else { throw .missing(claim: "aud") }
        guard let named = value.oneOrMore else { throw .malformed(claim: "aud") }
        let accepted = settings.audiences.contains { audience in
            named.contains { $0.hasSameBytes(as: audience) }
        }
        guard accepted else { throw .wrongAudience }
    }

    // The instant from which we refuse the token, leeway included: a cache of the answer must let go then.
    private func expiry(at now: Timestamp, isRequired: Bool) throws(BearerRefusal) -> Timestamp? {
        guard let value = claims["exp"] else {
            if isRequired { throw .missing(claim: "exp") }
            return nil
        }
        guard let expiry = Timestamp(numericDate: value) else { throw .malformed(claim: "exp") }
        guard now < expiry + settings.leeway else { throw .expired }
        return expiry + settings.leeway
    }

    private func start(_ name: String, at now: Timestamp) throws(BearerRefusal) -> Timestamp? {
        guard let value = claims[name] else { return nil }
        guard let start = Timestamp(numericDate: value) else { throw .malformed(claim: name) }
        guard now >= start - settings.leeway else { throw .notYetValid }
        return start
    }

    /// The key that a token is bound to (RFC 7800 §3, RFC 9449 §6).
    ///
    /// Bound in another way, such as to a TLS certificate, it must not work for anyone who merely holds it, and that
    /// way cannot be checked here.
    private func proofKeyThumbprint() throws(BearerRefusal) -> String? {
        guard let confirmation = claims["cnf"] else { return nil }
        guard let members = confirmation.object, members.count == 1, let thumbprint = members["jkt"]?.string,
            SHA256Hash.isBase64URL(thumbprint)
        else { throw .senderConstrained }
        return thumbprint
    }

    private func clientID() throws(BearerRefusal) -> String {
        if claims[settings.clientClaim] == nil, let fallback = settings.fallbackClientClaim, claims[fallback] != nil {
            return try text(fallback)
        }
        return try text(settings.clientClaim)
    }

    private func text(_ name: String) throws(BearerRefusal) -> String {
        guard let value = claims[name], !value.isNull else { throw .missing(claim: name) }
        guard let text = value.string, ClaimText.isAcceptable(text) else { throw .malformed(claim: name) }
        return text
    }

    private func optionalText(_ name: String) -> String? {
        claims[name]?.string.flatMap { ClaimText.isAcceptable($0) ? $0 : nil }
    }

    /// In none when the token does not say so, or says it in another form.
    private var groups: UserGroups? {
        settings.groupsClaim.map { claims[$0].flatMap { UserGroups($0) } ?? UserGroups.none }
    }

    private var methods: [String] {
        guard let methods = claims["amr"]?.strings, methods.count <= 16,
            methods.allSatisfy({ ClaimText.isAcceptable($0) && $0.utf8.count <= 64 })
        else { return [] }
        return methods
    }
}

extension JSONValue {
    /// A number of 64 bits in the one spelling that it has; `nil` for every other, such as `-0`, `42.0` and `4.2e1`: two
    /// spellings would be two users.
    fileprivate var wholeNumber: String? {
        guard case .number(let text) = self, let integer, text == String(integer) else { return nil }
        return text
    }
}
