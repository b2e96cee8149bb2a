extension QRCodeMatrix {
    /// How much the modules could mislead a reader: the less the better (ISO/IEC 18004 §7.8.3).
    var penalty: Int {
        let lines = (0..<size).flatMap { place in
            [(0..<size).map { self[place, $0] }, (0..<size).map { self[$0, place] }]
        }
        return lines.reduce(0) { $0 + Self.runs(in: $1) + Self.finderLikes(in: $1) } + blocks + imbalance
    }

    /// Five and more of one colour in a row.
    private static func runs(in line: [Bool]) -> Int {
        var penalty = 0
        var length = 0
        for (index, isDark) in line.enumerated() {
            length = index > 0 && line[index - 1] == isDark ? length + 1 : 1
            if length == 5 { penalty += 3 } else if length > 5 { penalty += 1 }
        }
        return penalty
    }

    private static let finderLike = [true, false, true, true, true, false, true]

    /// What looks like the middle of a finder, with four light modules on one side.
    private static func finderLikes(in line: [Bool]) -> Int {
        let light = [false, false, false, false]
        let patterns = [light + finderLike, finderLike + light]
        return (0...(line.count - 11)).reduce(0) { penalty, start in
            penalty + 40 * patterns.count { $0.elementsEqual(line[start..<(start + 11)]) }
        }
    }

    /// Squares of two by two of one colour.
    private var blocks: Int {
        var count = 0
        for row in 0..<(size - 1) {
            for column in 0..<(size - 1) {
                let colour = self[row, column]
                let others = [self[row, column + 1], self[row + 1, column], self[row + 1, column + 1]]
                if others.allSatisfy({ $0 == colour }) { count += 1 }
            }
        }
        return 3 * count
    }

    /// Every five per cent away from half dark.
    private var imbalance: Int {
        let dark = (0..<size).reduce(0) { count, row in count + (0..<size).count { self[row, $0] } }
        return abs(dark * 20 - size * size * 10) / (size * size) * 10
    }
}
