/// What a CBOR document says (RFC 8949), as far as WebAuthn uses it: no floats, no tags, no `null`.
package enum CBORValue: Hashable, Sendable {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    /// Names are integers or texts.
    case map([CBORValue: CBORValue])
    case bool(Bool)

    /// How deep arrays and maps may lie in one another: a certificate chain in an attestation is the deepest.
    package static let depth = 4

    /// Reads a document that ends with its last byte.
    ///
    /// Strict, so that nothing but the order of a map has two spellings: definite lengths and the shortest form of each
    /// number only, as CTAP 2 writes them, UTF-8 that holds, no name twice.
    /// - Returns: `nil` for anything else.
    package static func parse(_ bytes: [UInt8], depth: Int = depth) -> CBORValue? {
        guard let (value, rest) = parse(beginningOf: bytes[...], depth: depth), rest.isEmpty else { return nil }
        return value
    }

    /// Reads the one value that bytes begin with.
    /// - Returns: the value and what follows it.
    package static func parse(
        beginningOf bytes: ArraySlice<UInt8>, depth: Int = depth
    ) -> (value: CBORValue, rest: ArraySlice<UInt8>)? {
        var reader = CBORReader(bytes)
        guard let value = reader.value(depth: depth) else { return nil }
        return (value, reader.rest)
    }

    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    package var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }

    package var text: String? { if case .text(let value) = self { value } else { nil } }

    package var map: [CBORValue: CBORValue]? { if case .map(let value) = self { value } else { nil } }
}
