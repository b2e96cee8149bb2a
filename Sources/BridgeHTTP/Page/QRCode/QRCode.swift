/// A QR code (ISO/IEC 18004) of bytes with error correction level M, in the smallest version that holds them.
///
/// Made here because what an authenticator's key is shown in must not leave the page for another host, and no library
/// for it is among the project's dependencies.
struct QRCode: Sendable {
    private let matrix: QRCodeMatrix

    /// Modules on each side; of the light margin around them nothing is counted.
    var size: Int { matrix.size }

    /// - Returns: `nil` for more than version 20 holds, 666 bytes.
    init?(_ bytes: [UInt8]) {
        guard let version = QRCodeVersion.smallest(holding: bytes.count) else { return nil }
        let codewords = QRCodeCodewords.make(of: bytes, version: version)
        let candidates = QRCodeMask.allCases.map { QRCodeMatrix(codewords, version: version, mask: $0) }
        // The standard has the least misleading of the eight be used; it names no tie-breaker.
        guard let best = candidates.min(by: { $0.penalty < $1.penalty }) else { return nil }
        matrix = best
    }

    /// Whether a module is dark.
    subscript(row: Int, column: Int) -> Bool { matrix[row, column] }
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
