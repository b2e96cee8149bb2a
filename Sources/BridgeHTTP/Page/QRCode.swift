import CQRCode

/// A QR code (ISO/IEC 18004) of bytes with error correction level M, in the smallest version that holds them.
///
/// Made here because what an authenticator's key is shown in must not leave the page for another host.
struct QRCode: Sendable {
    /// No larger version is read well from a screen; it holds 666 bytes.
    private static let largestVersion: Int32 = 20

    private let isDark: [Bool]
    /// Modules on each side, without the light margin around them.
    let size: Int

    /// - Returns: `nil` for more than version 20 holds.
    init?(_ bytes: [UInt8]) {
        // The encoder would write past its buffers with more data than they hold.
        var data = [UInt8](repeating: 0, count: qrcodegen_buffer_length)
        guard bytes.count <= data.count else { return nil }
        data.replaceSubrange(0..<bytes.count, with: bytes)
        var code = [UInt8](repeating: 0, count: qrcodegen_buffer_length)
        guard
            qrcodegen_encodeBinary(
                &data, bytes.count, &code, qrcodegen_Ecc_MEDIUM, qrcodegen_VERSION_MIN, Self.largestVersion,
                qrcodegen_Mask_AUTO, false)
        else { return nil }
        let side = qrcodegen_getSize(code)
        isDark = (0..<side).flatMap { row in (0..<side).map { qrcodegen_getModule(code, $0, row) } }
        size = Int(side)
    }

    /// Whether a module is dark.
    subscript(row: Int, column: Int) -> Bool { isDark[row * size + column] }
}

extension QRCode {
    /// Light modules around the code that the standard asks for.
    private static let margin = 4

    /// The code as one SVG path of dark squares, one unit a module, and the square that it needs.
    var drawing: (path: String, side: Int) {
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                guard self[row, column] else {
                    column += 1
                    continue
                }
                let start = column
                while column < size, self[row, column] { column += 1 }
                path += "M\(start + Self.margin) \(row + Self.margin)h\(column - start)v1h-\(column - start)z"
            }
        }
        return (path, size + 2 * Self.margin)
    }
}
