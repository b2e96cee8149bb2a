/// Base64 with the standard alphabet and padding (RFC 4648 §4), for formats that ask for it.
package enum Base64 {
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text = Base64URL.encode(bytes).utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes the canonical form only, as ``Base64URL/decode(_:)-swift.method`` does.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(bytes: Array(text.utf8)[...]) }

    /// As ``decode(_:)``, from ASCII bytes. Not generic: other modules would run it unspecialised.
    package static func decode(bytes: ArraySlice<UInt8>) -> [UInt8]? {
        guard bytes.count % 4 == 0 else { return nil }
        let padding = bytes.suffix(2).count { $0 == UInt8(ascii: "=") }
        var mapped: [UInt8] = []
        mapped.reserveCapacity(bytes.count)
        for byte in bytes.dropLast(padding) {
            switch byte {
            case UInt8(ascii: "+"): mapped.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): mapped.append(UInt8(ascii: "_"))
            case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
            default: mapped.append(byte)
            }
        }
        return Base64URL.decode(bytes: mapped)
    }
}
