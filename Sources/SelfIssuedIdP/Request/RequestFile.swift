/// A request file as it came: raw JSON, or a JWT (RFC 9101), unsigned or signed.
struct RequestFile {
    let parameters: RequestParameters
    /// The signed form, with keys still to be found.
    private let signed: CompactJWS?

    init(_ body: [UInt8]) throws(PhoneRefusal) {
        if let members = JSONValue(json: body)?.members {
            parameters = RequestParameters(members)
            signed = nil
            return
        }
        let text = String(decoding: body, as: UTF8.self).trimmingPrefix(while: \.isWhitespace)
        let trimmed = text.prefix { !$0.isWhitespace }
        guard text.dropFirst(trimmed.count).allSatisfy(\.isWhitespace), let jws = CompactJWS(trimmed),
            let members = jws.claims.members
        else {
            throw PhoneRefusal(
                .requestMalformed, "the request file is neither a JSON object, each member named once, nor a JWT")
        }
        parameters = RequestParameters(members)
        // Who sent it is proven by TLS: `none` is as good as raw JSON.
        signed = jws.isUnsigned ? nil : jws
    }

    /// Where the keys of a signed request lie.
    enum KeySource {
        /// Nothing is signed.
        case notNeeded
        /// In the request: they say no more than TLS does, and a wrong signature still shows a broken file.
        case here(JSONValue)
        /// The keys are at an address of the website itself.
        case at(WebAddress)
    }

    func keySource() throws(PhoneRefusal) -> KeySource {
        guard signed != nil else { return .notNeeded }
        if let keys = parameters.registered("jwks") { return .here(keys) }
        guard let client = try parameters.text("client_id").flatMap(WebAddress.init),
            let address = parameters.registered("jwks_uri")?.string.flatMap(WebAddress.init),
            address.website == client.website
        else {
            throw PhoneRefusal(
                .requestSignatureInvalid, "a signed request needs jwks, or a jwks_uri on the website's own host")
        }
        return .at(address)
    }

    /// - Parameter keys: a JWK set.
    func check(_ keys: JSONValue, at now: Int64) throws(PhoneRefusal) {
        guard let signed else { return }
        guard case .array(let listed) = keys["keys"] ?? .null,
            listed.prefix(16).compactMap(PublicKey.init(jwk:)).contains(where: signed.isSigned)
        else {
            throw PhoneRefusal(.requestSignatureInvalid, "the request is not signed, by ES256 or RS256, by the website")
        }
        if let expires = signed.claims["exp"] {
            guard case .integer(let instant) = expires, now - 60 < instant else {
                throw PhoneRefusal(.requestExpired, "the request has expired")
            }
        }
    }
}
