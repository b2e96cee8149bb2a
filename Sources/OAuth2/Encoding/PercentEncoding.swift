/// Percent-encoding of one component (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Encodes everything but the unreserved characters, so the result fits a query value, a cookie value or a path
    /// segment alike.
    package static func encode(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if ASCII.isUnreserved(byte) {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                output.append(digits[Int(byte >> 4)])
                output.append(digits[Int(byte & 0xF)])
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
