/// Classes of the bytes of ASCII text. A byte above 0x7F is in none of them.
///
/// Inlinable, since tokens and rows are walked with them byte by byte in other modules.
package enum ASCII {
    @inlinable package static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    @inlinable package static func isLowercase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }

    @inlinable package static func isUppercase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }

    @inlinable package static func isLetter(_ byte: UInt8) -> Bool { isLowercase(byte | 0x20) }

    @inlinable package static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

    /// A digit of what has one spelling only, such as a trace's id (W3C Trace Context §3.2).
    @inlinable package static func isLowercaseHex(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte &- UInt8(ascii: "a") < 6
    }

    /// `VCHAR` (RFC 5234 appendix B.1): everything that leaves ink, so no space and no control character.
    @inlinable package static func isVisible(_ byte: UInt8) -> Bool { byte &- 0x21 < 94 }

    /// Visible, or a space.
    @inlinable package static func isPrintable(_ byte: UInt8) -> Bool { byte &- 0x20 < 95 }

    /// `NQCHAR` (RFC 6749 appendix A): visible, but no `"` and no `\`, so that it stands in a quoted string as it is.
    @inlinable package static func isNQCharacter(_ byte: UInt8) -> Bool {
        isVisible(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// What plain names of files, nodes and requests are made of: letters, digits, `-`, `.` and `_`.
    @inlinable package static func isNameByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }

    /// What unpadded base64url is made of (RFC 4648 §5): letters, digits, `-` and `_`.
    @inlinable package static func isBase64URL(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// `unreserved` of RFC 3986 §2.3: letters, digits, `-`, `.`, `_` and `~`.
    @inlinable package static func isUnreserved(_ byte: UInt8) -> Bool {
        isNameByte(byte) || byte == UInt8(ascii: "~")
    }

    /// What a URI without a fragment is made of (RFC 3986 §2): unreserved characters, reserved ones but `#`, and `%`.
    @inlinable package static func isURIByte(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || ":/?[]@!$&'()*+,;=%".utf8.contains(byte)
    }

    /// A number in digits alone: `Int` would also take a sign.
    /// - Parameter digits: how many there may be, leading zeros too.
    /// - Returns: `nil` for anything else.
    package static func decimal(_ text: some StringProtocol, digits: ClosedRange<Int> = 1...9) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy(isDigit) else { return nil }
        return Int(text)
    }

    /// `b64token` (RFC 6750 §2.1), which is not empty; padding may be anywhere.
    package static func isToken68(_ text: some StringProtocol) -> Bool {
        // In one piece, since a token is long: the view's own iterator costs more a byte than looking at it.
        let isToken = text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isToken68) }
        return !text.isEmpty && (isToken ?? text.utf8.allSatisfy(isToken68))
    }

    /// A byte of `b64token` (RFC 6750 §2.1); padding may be anywhere.
    @inlinable package static func isToken68(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
    }
}
