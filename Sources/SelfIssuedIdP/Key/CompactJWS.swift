/// Another party's signed text, taken apart (RFC 7515 §7.1). Nothing of it is believed yet.
struct CompactJWS {
    let header: JSONValue
    let claims: JSONValue
    private let signed: [UInt8]
    private let signature: [UInt8]

    /// - Returns: `nil` when it is not three parts with two JSON objects, or wants something that is not known here.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]).flatMap(JSONValue.init(json:)),
            let claims = Base64URL.decode(parts[1]).flatMap(JSONValue.init(json:)),
            let signature = Base64URL.decode(parts[2]), header.members != nil, claims.members != nil,
            header["crit"] == nil
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signed = Array("\(parts[0]).\(parts[1])".utf8)
    }

    /// `alg: none`, and nothing where a signature would be.
    var isUnsigned: Bool { header["alg"]?.string == "none" && signature.isEmpty }

    func isSigned(by key: PublicKey) -> Bool {
        header["alg"]?.string == key.algorithm.rawValue && key.verifies(signature, of: signed)
    }
}
