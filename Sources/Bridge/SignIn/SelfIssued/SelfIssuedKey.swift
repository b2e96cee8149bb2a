import OAuth2

/// The public key that a self-issued ID token is signed with, and that is its subject.
struct SelfIssuedKey: Sendable {
    /// What a holder may sign with; the kind of the key says which of them (RFC 8725 §3.1).
    static let algorithms: [SignatureAlgorithm] = [.rs256, .es256, .edDSA]

    private static let certificateMembers = ["x5c", "x5u"]

    let algorithm: SignatureAlgorithm
    /// RFC 7638, SHA-256: who the holder is to us.
    let thumbprint: String
    private let key: VerificationKey

    /// Reads a bare key: public, without a certificate, and in the one spelling that its thumbprint is over.
    /// - Parameter value: a JWK, or a set of one.
    init(jwk value: JSONValue) throws(SelfIssuedRefusal.Reason) {
        var object = value.object
        if let keys = object?["keys"] {
            guard object?["kty"] == nil, let array = keys.array, array.count == 1 else { throw .keyInvalid }
            object = array[0].object
        }
        guard let object else { throw .keyInvalid }
        guard VerificationKey.privateMembers.isDisjoint(with: object.keys) else { throw .keyPrivate }
        guard Self.certificateMembers.allSatisfy({ object[$0] == nil }),
            object["kty"]?.string != "RSA" || Self.isGoodRSA(object),
            object["kty"]?.string != "OKP" || !Self.isOfSmallOrder(object),
            let key = VerificationKey(jwk: .object(object), for: Set(Self.algorithms)),
            let algorithm = Self.algorithms.first(where: key.fits)
        else { throw .keyInvalid }
        self.key = key
        self.algorithm = algorithm
        thumbprint = key.thumbprint
    }

    /// Reads a key that is written out as `iss`: the JWK's text, or the X.509 key as base64 of either alphabet or PEM.
    init(issuer text: String) throws(SelfIssuedRefusal.Reason) {
        if text.utf8.first == UInt8(ascii: "{") {
            guard let value = JSONValue.parse(text.utf8) else { throw .keyInvalid }
            try self.init(jwk: value)
            return
        }
        guard let bytes = Self.unarmoured(text), let key = VerificationKey(subjectPublicKeyInfo: bytes) else {
            throw .keyInvalid
        }
        try self.init(jwk: key.bareJWK)
    }

    /// Whether the signature is this key's, by the algorithm that its kind implies: ES256's is 64 octets, not DER.
    func signed(_ token: CompactJWS) -> Bool { key.isValid(token.signature, for: token.message, by: algorithm) }

    /// 2048 to 8192 bits without a leading zero byte, which would be a second spelling; no exponent but the usual one.
    private static func isGoodRSA(_ object: [String: JSONValue]) -> Bool {
        guard object["e"]?.string == "AQAB", let modulus = object["n"]?.string.flatMap({ Base64URL.decode($0) }),
            let first = modulus.first, first != 0
        else { return false }
        return (2048...8192).contains(modulus.count * 8 - first.leadingZeroBitCount)
    }

    /// Points of Ed25519 under which anyone can sign anything, in the spellings that verifiers take (RFC 8032 §5.1.7);
    /// without the sign bit.
    private static let smallOrder: Set<[UInt8]> = Set(
        [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ].compactMap { text in
            let digits = text.utf8.compactMap { HexDigit.value($0) }
            return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        })

    private static func isOfSmallOrder(_ object: [String: JSONValue]) -> Bool {
        guard var point = object["x"]?.string.flatMap({ Base64URL.decode($0) }), point.count == 32 else { return false }
        point[31] &= 0x7F
        return smallOrder.contains(point)
    }

    /// The bytes behind PEM, base64 or base64url; padding may be missing, alphabets do not mix.
    private static func unarmoured(_ text: String) -> [UInt8]? {
        var body = Array(text.utf8)
        let begin = Array("-----BEGIN PUBLIC KEY-----".utf8)
        let end = Array("-----END PUBLIC KEY-----".utf8)
        if body.starts(with: begin) {
            body = body.filter { $0 != 0x0A && $0 != 0x0D }
            guard body.count > begin.count + end.count, body.suffix(end.count).elementsEqual(end) else { return nil }
            body = Array(body[begin.count..<(body.count - end.count)])
        }
        guard body.count <= CompactJWS.maximumLength else { return nil }
        let padding = body.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding <= 2, padding == 0 || body.count % 4 == 0 else { return nil }
        body.removeLast(padding)
        let isURLSafe = body.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        if !isURLSafe {
            body = body.map { byte in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            }
        }
        return Base64URL.decode(bytes: body)
    }
}
