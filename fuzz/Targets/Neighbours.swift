import TestSupport

/// Inputs that are near to those of a corpus: cut, spliced, repeated and altered ones. The same seed gives the same
/// inputs, so that one that breaks a promise can be had again.
///
/// It gets no word of what code an input reached, as a fuzzer does. But the corpus has an input for each branch that
/// the fuzzer found, so what is near to it begins there.
struct Neighbours {
    private let corpus: [[UInt8]]
    private var dice: SplitMix64
    /// What parsers branch at.
    private static let telling =
        Array(#"{}[]",:;=&?%/\.-_+*#@~$'<>()|^ 0129azAZé"#.utf8) + [0, 9, 10, 13, 0x7F, 0x80, 0xC0, 0xFF]

    init(_ corpus: [[UInt8]], seed: UInt64) {
        self.corpus = corpus.isEmpty ? [[]] : corpus
        dice = SplitMix64(seed: seed)
    }

    mutating func next() -> [UInt8] {
        var input = corpus[below(corpus.count)]
        for _ in 0...below(4) { alter(&input) }
        return Array(input.prefix(4096))
    }

    private mutating func alter(_ input: inout [UInt8]) {
        let place = below(input.count + 1)
        let end = min(input.count, place + 1 + below(16))
        switch below(8) {
        case 0: input.removeSubrange(place..<end)
        case 1: input.insert(contentsOf: input[place..<end], at: place)
        case 2: input.insert(Self.telling[below(Self.telling.count)], at: place)
        case 3: if place < input.count { input[place] = Self.telling[below(Self.telling.count)] }
        case 4: if place < input.count { input[place] ^= 1 << below(8) }
        case 5:
            let other = corpus[below(corpus.count)]
            let from = below(other.count + 1)
            input.replaceSubrange(place..<end, with: other[from..<min(other.count, from + 1 + below(64))])
        case 6:
            let other = corpus[below(corpus.count)]
            input = Array(input[..<place]) + other[below(other.count + 1)...]
        default:
            // Numbers are where lengths and times are.
            if let digit = input[place...].firstIndex(where: { (0x30...0x39).contains($0) }) {
                input.insert(contentsOf: Array(repeating: input[digit], count: 1 + below(20)), at: digit)
            }
        }
    }

    private mutating func below(_ bound: Int) -> Int { Int(dice.next() % UInt64(bound)) }
}
