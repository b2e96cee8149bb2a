/// A size of QR codes, and how its codewords are divided at error correction level M (ISO/IEC 18004, table 9).
struct QRCodeVersion: Sendable {
    /// 1 to 20.
    let number: Int

    private static let correctionCodewords = [
        10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
    ]
    private static let blockCounts = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]

    static func smallest(holding count: Int) -> QRCodeVersion? {
        (1...blockCounts.count).map(QRCodeVersion.init).first { count <= $0.byteCapacity }
    }

    /// Modules on each side.
    var size: Int { 17 + 4 * number }

    var blockCount: Int { Self.blockCounts[number - 1] }

    /// Codewords of error correction in each block.
    var correctionPerBlock: Int { Self.correctionCodewords[number - 1] }

    var dataCodewords: Int { freeModules / 8 - blockCount * correctionPerBlock }

    /// Bits of the count that precedes the bytes.
    var countBits: Int { number < 10 ? 8 : 16 }

    /// Besides the bytes there are four bits of mode and the count.
    private var byteCapacity: Int { (dataCodewords * 8 - 4 - countBits) / 8 }

    /// Rows and columns in which alignment patterns have their middle; evenly spread, the first gap may be shorter.
    var alignmentCentres: [Int] {
        guard number > 1 else { return [] }
        let gaps = number / 7 + 1
        let (first, last) = (6, size - 7)
        let gap = ((last - first) + 2 * gaps - 1) / (2 * gaps) * 2
        return [first] + (0..<gaps).map { last - $0 * gap }.reversed()
    }

    var hasVersionPattern: Bool { number >= 7 }

    /// What is left for codewords besides the patterns.
    private var freeModules: Int {
        let finders = 3 * 64
        let format = 2 * 15 + 1
        let timing = 2 * (size - 16)
        let centres = alignmentCentres.count
        // In three corners there is a finder instead; on the two timing lines five modules are counted already.
        let alignment = centres == 0 ? 0 : (centres * centres - 3) * 25 - 2 * (centres - 2) * 5
        return size * size - finders - format - timing - alignment - (hasVersionPattern ? 36 : 0)
    }
}
