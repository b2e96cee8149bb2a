extension VerificationKey {
    /// The algorithms of keys that ``init(cose:)`` takes, with their numbers (RFC 9053 §2, RFC 8812 §2); the first is
    /// the one that we would rather have.
    package static let coseAlgorithms: [(number: Int64, algorithm: SignatureAlgorithm)] = [
        (-7, .es256), (-8, .edDSA), (-257, .rs256),
    ]

    /// Reads a public key as an authenticator writes it (RFC 9052 §7), which names its algorithm.
    /// - Returns: `nil` for a kind that is not known here, or an algorithm that is not the kind's.
    package init?(cose value: CBORValue) {
        guard let members = value.map, let number = members[.integer(3)]?.integer,
            let algorithm = Self.coseAlgorithms.first(where: { $0.number == number })?.algorithm
        else { return nil }
        func text(_ label: Int64) -> JSONValue {
            members[.integer(label)]?.bytes.map { .string(Base64URL.encode($0)) } ?? .null
        }
        let jwk: [String: JSONValue]
        switch (members[.integer(1)]?.integer, members[.integer(-1)]?.integer, algorithm) {
        case (2, 1, .es256):
            jwk = ["kty": .string("EC"), "crv": .string("P-256"), "x": text(-2), "y": text(-3)]
        case (1, 6, .edDSA):
            jwk = ["kty": .string("OKP"), "crv": .string("Ed25519"), "x": text(-2)]
        case (3, nil, .rs256):
            jwk = ["kty": .string("RSA"), "n": text(-1), "e": text(-2)]
        default: return nil
        }
        self.init(jwk: .object(jwk), for: [algorithm])
    }

    /// The one algorithm of a key that ``init(cose:)`` read.
    package var coseAlgorithm: SignatureAlgorithm? {
        Self.coseAlgorithms.map(\.algorithm).first { fits($0) }
    }
}
