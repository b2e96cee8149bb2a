import Bridge
import OAuth2

/// The claims of a token whose origin is proven, checked and mapped to whom they name.
struct BearerClaims: Sendable {
    let settings: TrustedIssuerSettings
    let claims: [String: JSONValue]

    /// Checks `iss`, `aud` and the times, and maps the rest.
    /// - Parameters:
    ///   - cacheLifetime: how long the answer may be believed; `nil` for as long as the token lives.
    ///   - isExpiryRequired: an introspection answer may leave `exp` out (RFC 7662 §2.2); then it is asked again soon.
    func identity(at now: Timestamp, cacheLifetime: Duration?, isExpiryRequired: Bool) throws(BearerRefusal)
        -> BearerIdentity
    {
        try checkAudience()
        let expiresAt = try expiry(at: now, isRequired: isExpiryRequired) ?? now + (cacheLifetime ?? .zero)
        try checkStart(at: now)
        let proofKey = try proofKeyThumbprint()
        let subject = try text(settings.subjectClaim)
        let client = try clientID()
        return BearerIdentity(
            subject: Subject(rawValue: settings.subjectPrefix + subject), clientID: ClientID(rawValue: client),
            issuer: settings.issuer, sessionID: optionalText("sid").map(SessionID.init(rawValue:)),
            deviceID: optionalText(settings.deviceClaim),
            authentication: Authentication(
                time: claims["auth_time"].flatMap(Timestamp.init(numericDate:)), acr: optionalText("acr"),
                amr: methods),
            proofKeyThumbprint: proofKey,
            expiresAt: expiresAt,
            cacheableUntil: cacheLifetime.map { min(expiresAt, now + $0) })
    }

    private func checkAudience() throws(BearerRefusal) {
        guard let value = claims["aud"] else { throw .missingClaim }
        guard let named = value.string.map({ [$0] }) ?? value.strings else { throw .malformed }
        let accepted = settings.audiences.contains { audience in
            named.contains { $0.utf8.elementsEqual(audience.utf8) }
        }
        guard accepted else { throw .wrongAudience }
    }

    // The instant from which we refuse the token, leeway included: whoever keeps the answer must let go then.
    private func expiry(at now: Timestamp, isRequired: Bool) throws(BearerRefusal) -> Timestamp? {
        guard let value = claims["exp"] else {
            if isRequired { throw .missingClaim }
            return nil
        }
        guard let expiry = Timestamp(numericDate: value) else { throw .malformed }
        guard now < expiry + settings.leeway else { throw .expired }
        return expiry + settings.leeway
    }

    private func checkStart(at now: Timestamp) throws(BearerRefusal) {
        for name in ["nbf", "iat"] {
            guard let value = claims[name] else { continue }
            guard let start = Timestamp(numericDate: value) else { throw .malformed }
            guard now >= start - settings.leeway else { throw .notYetValid }
        }
    }

    /// The key that a token is bound to (RFC 7800 §3, RFC 9449 §6).
    ///
    /// Bound in another way, such as to a TLS certificate, it must not work for somebody who merely holds it, and that
    /// way cannot be checked here.
    private func proofKeyThumbprint() throws(BearerRefusal) -> String? {
        guard let confirmation = claims["cnf"] else { return nil }
        guard let members = confirmation.object, members.count == 1, let thumbprint = members["jkt"]?.string,
            DPoPProof.isThumbprint(thumbprint)
        else { throw .senderConstrained }
        return thumbprint
    }

    private func clientID() throws(BearerRefusal) -> String {
        if claims[settings.clientClaim] == nil, let fallback = settings.fallbackClientClaim {
            return try text(fallback)
        }
        return try text(settings.clientClaim)
    }

    private func text(_ name: String) throws(BearerRefusal) -> String {
        guard let value = claims[name], !value.isNull else { throw .missingClaim }
        guard let text = value.string, ClaimText.isAcceptable(text) else { throw .malformed }
        return text
    }

    private func optionalText(_ name: String) -> String? {
        claims[name]?.string.flatMap { ClaimText.isAcceptable($0) ? $0 : nil }
    }

    private var methods: [String] {
        guard let methods = claims["amr"]?.strings, methods.count <= 16,
            methods.allSatisfy({ ClaimText.isAcceptable($0) && $0.utf8.count <= 64 })
        else { return [] }
        return methods
    }
}
