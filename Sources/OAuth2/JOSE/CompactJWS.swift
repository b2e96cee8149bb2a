/// A JSON Web Signature in its compact form (RFC 7515 §7.1), taken apart but not verified.
package struct CompactJWS: Sendable {
    /// A longer text is not read.
    package static let maximumLength = 16 * 1024
    /// How many arrays and objects of a header may lie inside each other, unless a caller is stricter.
    package static let headerDepth = 16

    package let header: [String: JSONValue]
    package let payload: [UInt8]
    package let signature: [UInt8]
    /// What the signature is over.
    package let message: [UInt8]

    /// - Parameters:
    ///   - headerDepth: how many arrays and objects of the header may lie inside each other.
    ///   - refusesExtensions: whether a header with `crit` makes it none; otherwise the caller has to look.
    ///   - onlyType: the ``type`` that it must have; otherwise only the header is read.
    /// - Returns: `nil` unless there are three canonical base64url parts, the first a JSON object.
    package init?(
        _ text: String, maximumLength: Int = maximumLength, headerDepth: Int = headerDepth,
        refusesExtensions: Bool = true, onlyType: String? = nil
    ) {
        let bytes = Array(text.utf8)
        guard bytes.count <= maximumLength, let dot = bytes.firstIndex(of: UInt8(ascii: ".")),
            let header = Self.members(ofHeader: Array(bytes[..<dot]), depth: headerDepth),
            header["crit"] == nil || !refusesExtensions, onlyType == nil || Self.type(in: header) == onlyType
        else { return nil }
        let rest = bytes[(dot + 1)...].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard rest.count == 2, let payload = Base64URL.decode(bytes: rest[0]),
            let signature = Base64URL.decode(bytes: rest[1])
        else { return nil }
        self.header = header
        self.payload = payload
        self.signature = signature
        message = Array(bytes[..<rest[0].endIndex])
    }

    /// The ``type`` that a text states in its header. Whether the text is a JWS at all is not asked.
    package static func statedType(in text: String) -> String? {
        let bytes = text.utf8
        guard bytes.count <= maximumLength, let dot = bytes.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        return members(ofHeader: Array(bytes[..<dot]), depth: headerDepth).flatMap { Self.type(in: $0) }
    }

    package var algorithm: String? { header["alg"]?.string }
    /// `typ`, lower-cased, without the `application/` that RFC 7515 §4.1.9 lets a sender leave out.
    package var type: String? { Self.type(in: header) }
    package var keyID: String? { header["kid"]?.string }

    /// The claims; `nil` when the payload is not a JSON object.
    package var claims: [String: JSONValue]? { JSONValue.parse(payload)?.object }

    private static func members(ofHeader part: [UInt8], depth: Int) -> [String: JSONValue]? {
        Base64URL.decode(bytes: part).flatMap { JSONValue.parse(bytes: $0, depth: depth)?.object }
    }

    private static func type(in header: [String: JSONValue]) -> String? {
        guard let type = header["typ"]?.string?.lowercased() else { return nil }
        return type.hasPrefix("application/") ? String(type.dropFirst(12)) : type
    }

    /// Signs claims.
    /// - Parameter type: the header's `typ`.
    package static func sign(_ claims: [UInt8], type: String, with key: SigningKey) throws -> String {
        let header = #"{"alg":"\#(key.algorithm.rawValue)","typ":"\#(type)","kid":"\#(key.id)"}"#
        let message = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims)
        return message + "." + Base64URL.encode(try key.signature(for: Array(message.utf8)))
    }
}
