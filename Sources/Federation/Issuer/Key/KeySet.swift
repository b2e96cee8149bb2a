import OAuth2

/// The usable keys of an issuer at one moment.
struct KeySet: Sendable {
    let keys: [IssuerKey]

    init(keys: [IssuerKey]) { self.keys = keys }

    /// Reads a JWK set (RFC 7517 §5). Keys that cannot be used are passed over; a set may come out empty.
    init(json: [UInt8], allowed: Set<SignatureAlgorithm>, maximumKeys: Int) throws(KeySetError) {
        guard let members = JSONValue.parse(json)?.object?["keys"]?.array else { throw .notAKeySet }
        guard members.count <= maximumKeys else { throw .tooManyKeys }
        var keys: [IssuerKey] = []
        for member in members {
            guard let member = member.object else { throw .notAKeySet }
            if let key = IssuerKey(jwk: member, allowed: allowed) { keys.append(key) }
        }
        self.keys = keys
    }

    /// The keys that a token with this header may have been signed with.
    ///
    /// Without a `kid` in the token only a key that is alone in fitting is taken: trying one after the other would
    /// let a retired key pass for the current one.
    func candidates(keyID: String?, algorithm: SignatureAlgorithm) -> [IssuerKey] {
        let fitting = keys.filter { $0.fits(algorithm) }
        guard let keyID else { return fitting.count == 1 ? fitting : [] }
        return fitting.filter { $0.id == keyID }
    }
}

/// Why a document is not a key set.
enum KeySetError: Error, Equatable {
    case notAKeySet
    case tooManyKeys
}
