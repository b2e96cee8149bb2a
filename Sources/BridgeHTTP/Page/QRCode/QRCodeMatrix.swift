/// The modules of a QR code: patterns, codewords and mask (ISO/IEC 18004 §6.3, 7.7 to 7.10).
struct QRCodeMatrix: Sendable {
    let size: Int
    private var isDark: [Bool]
    /// Modules of patterns, which carry no data and are not masked.
    private var isPattern: [Bool]

    init(_ codewords: [UInt8], version: QRCodeVersion, mask: QRCodeMask) {
        size = version.size
        isDark = [Bool](repeating: false, count: size * size)
        isPattern = isDark
        drawTiming()
        drawFinders()
        drawAlignment(version.alignmentCentres)
        drawFormat(mask)
        if version.hasVersionPattern { drawVersion(version.number) }
        place(codewords, mask: mask)
    }

    subscript(row: Int, column: Int) -> Bool { isDark[row * size + column] }

    private mutating func draw(_ dark: Bool, row: Int, column: Int) {
        isDark[row * size + column] = dark
        isPattern[row * size + column] = true
    }

    private mutating func drawTiming() {
        for place in 0..<size {
            draw(place % 2 == 0, row: 6, column: place)
            draw(place % 2 == 0, row: place, column: 6)
        }
    }

    /// Squares inside squares in three corners, with a light line around each.
    private mutating func drawFinders() {
        for (middleRow, middleColumn) in [(3, 3), (3, size - 4), (size - 4, 3)] {
            for row in max(0, middleRow - 4)...min(size - 1, middleRow + 4) {
                for column in max(0, middleColumn - 4)...min(size - 1, middleColumn + 4) {
                    let distance = max(abs(row - middleRow), abs(column - middleColumn))
                    draw(distance != 2 && distance != 4, row: row, column: column)
                }
            }
        }
    }

    private mutating func drawAlignment(_ centres: [Int]) {
        guard let first = centres.first, let last = centres.last else { return }
        for middleRow in centres {
            for middleColumn in centres {
                let isAtFinder =
                    (middleRow == first && (middleColumn == first || middleColumn == last))
                    || (middleRow == last && middleColumn == first)
                guard !isAtFinder else { continue }
                for row in -2...2 {
                    for column in -2...2 {
                        draw(max(abs(row), abs(column)) != 1, row: middleRow + row, column: middleColumn + column)
                    }
                }
            }
        }
    }

    /// Level and mask, twice, with their own error correction (§7.9).
    private mutating func drawFormat(_ mask: QRCodeMask) {
        let level = 0b00  // M
        let value = level << 3 | mask.rawValue
        let bits = Self.withCorrection(value, count: 10, generator: 0b101_0011_0111) ^ 0b101_0100_0001_0010
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0..<15 {
            // Around the first finder, past the timing lines.
            switch index {
            case 0..<6: draw(bit(index), row: index, column: 8)
            case 6, 7: draw(bit(index), row: index + 1, column: 8)
            case 8: draw(bit(index), row: 8, column: 7)
            default: draw(bit(index), row: 8, column: 14 - index)
            }
            // Beside the other two.
            if index < 8 {
                draw(bit(index), row: 8, column: size - 1 - index)
            } else {
                draw(bit(index), row: size - 15 + index, column: 8)
            }
        }
        draw(true, row: size - 8, column: 8)
    }

    /// The version, twice (§7.10).
    private mutating func drawVersion(_ number: Int) {
        let bits = Self.withCorrection(number, count: 12, generator: 0b1_1111_0010_0101)
        for index in 0..<18 {
            let (long, short) = (index / 3, size - 11 + index % 3)
            draw(bits >> index & 1 == 1, row: long, column: short)
            draw(bits >> index & 1 == 1, row: short, column: long)
        }
    }

    /// The value with the remainder of a division by the generator after it.
    private static func withCorrection(_ value: Int, count: Int, generator: Int) -> Int {
        var remainder = value
        for _ in 0..<count { remainder = remainder << 1 ^ (remainder >> (count - 1) & 1) * generator }
        return value << count | remainder
    }

    /// Two columns at a time, up and down by turns, from the right; the timing column is left out.
    private mutating func place(_ codewords: [UInt8], mask: QRCodeMask) {
        var index = 0
        var goesUp = true
        for right in stride(from: size - 1, through: 1, by: -2) {
            let right = right <= 6 ? right - 1 : right
            for step in 0..<size {
                let row = goesUp ? size - 1 - step : step
                for column in [right, right - 1] where !isPattern[row * size + column] {
                    // What is left over at the end is light before the mask.
                    let isSet = index / 8 < codewords.count && codewords[index / 8] >> UInt8(7 - index % 8) & 1 == 1
                    isDark[row * size + column] = isSet != mask.flips(row: row, column: column)
                    index += 1
                }
            }
            goesUp.toggle()
        }
    }
}
