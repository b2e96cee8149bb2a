import OAuth2

/// What a browser says of a ceremony, and its authenticator signs (Web Authentication §5.8.1).
struct CeremonyStatement: Sendable {
    /// What was asked of the browser.
    enum Ceremony: String, Sendable {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    /// What a browser must say.
    struct Terms: Sendable {
        let ceremony: Ceremony
        let challenge: [UInt8]
        /// The origin of the page that asked, and no other's, not even a neighbour's with the same relying party.
        let origin: WebOrigin
    }

    /// - Throws: ``PasskeyRefusal`` for what another page, or another question, was answered.
    static func check(_ bytes: [UInt8], against terms: Terms) throws(PasskeyRefusal) {
        guard let members = JSONValue.parse(bytes: bytes, depth: 4)?.object, let type = members["type"]?.string,
            let challenge = members["challenge"]?.string.flatMap({ Base64URL.decode($0) }),
            let origin = members["origin"]?.string
        else { throw .malformed }
        guard type == terms.ceremony.rawValue else { throw .wrongCeremony }
        guard ConstantTime.equals(challenge, terms.challenge) else { throw .wrongChallenge }
        guard origin.hasSameBytes(as: terms.origin.description) else { throw .foreignOrigin }
        // In a frame of another site's page: ours are in none.
        guard members["crossOrigin"] ?? .bool(false) == .bool(false), members["topOrigin"] == nil else {
            throw .foreignOrigin
        }
    }
}
