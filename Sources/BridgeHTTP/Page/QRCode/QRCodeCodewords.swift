/// The codewords of a QR code: bytes with their count, padding and error correction, in the order of the matrix
/// (ISO/IEC 18004 §7.4 to 7.6).
enum QRCodeCodewords {
    static func make(of bytes: [UInt8], version: QRCodeVersion) -> [UInt8] {
        let data = dataCodewords(of: bytes, version: version)
        let shortLength = data.count / version.blockCount
        let longCount = data.count % version.blockCount
        var blocks: [ArraySlice<UInt8>] = []
        var start = 0
        for index in 0..<version.blockCount {
            let length = shortLength + (index < version.blockCount - longCount ? 0 : 1)
            blocks.append(data[start..<(start + length)])
            start += length
        }
        let code = ReedSolomonCode(correctionCount: version.correctionPerBlock)
        return interleave(blocks) + interleave(blocks.map { code.correction(for: $0)[...] })
    }

    private static func dataCodewords(of bytes: [UInt8], version: QRCodeVersion) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for shift in stride(from: count - 1, through: 0, by: -1) { bits.append(value >> shift & 1 == 1) }
        }
        append(0b0100, 4)  // bytes
        append(bytes.count, version.countBits)
        for byte in bytes { append(Int(byte), 8) }
        append(0, min(4, version.dataCodewords * 8 - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var codewords = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        for index in 0..<(version.dataCodewords - codewords.count) {
            codewords.append(index.isMultiple(of: 2) ? 0xEC : 0x11)
        }
        return codewords
    }

    /// The first of each block, the second of each, and so on; some blocks are one longer.
    private static func interleave(_ blocks: [ArraySlice<UInt8>]) -> [UInt8] {
        let longest = blocks.map(\.count).max() ?? 0
        return (0..<longest).flatMap { offset in
            blocks.compactMap { offset < $0.count ? $0[$0.startIndex + offset] : nil }
        }
    }
}

/// Error correction over GF(256) with the polynomial x⁸+x⁴+x³+x²+1 (ISO/IEC 18004 §7.5).
struct ReedSolomonCode: Sendable {
    /// The generator's coefficients below the highest, which is 1; highest first.
    private let generator: [UInt8]

    init(correctionCount: Int) {
        var generator: [UInt8] = [1]
        var root: UInt8 = 1
        for _ in 0..<correctionCount {
            // Times (x − root), where minus is plus.
            var product = generator + [0]
            for (index, coefficient) in generator.enumerated() {
                product[index + 1] ^= Self.product(coefficient, root)
            }
            generator = product
            root = Self.product(root, 2)
        }
        self.generator = Array(generator.dropFirst())
    }

    /// The remainder of the data, as a polynomial, divided by the generator.
    func correction(for data: some Sequence<UInt8>) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for (index, coefficient) in generator.enumerated() {
                remainder[index] ^= Self.product(coefficient, factor)
            }
        }
        return remainder
    }

    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in stride(from: 7, through: 0, by: -1) {
            product = product << 1 ^ (product & 0x80 == 0 ? 0 : 0x1D)
            if right >> UInt8(bit) & 1 == 1 { product ^= left }
        }
        return product
    }
}
