/// One parser of bytes from outside, and what it promises about whatever bytes it is given.
///
/// `fuzz/Sources/Fuzz` looks for bytes that break a promise; the tests try again what it kept (docs/proof.md).
package struct FuzzTarget: Sendable {
    package enum Trial: Sendable {
        /// Says which promise was broken; `nil` when none was.
        case plain(@Sendable ([UInt8]) -> String?)
        /// The same, for what waits.
        case waiting(@Sendable ([UInt8]) async -> String?)
    }

    /// As the folder of its corpus is called.
    package let name: String
    package let trial: Trial

    init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> String?) {
        self.name = name
        trial = .plain(run)
    }

    init(waiting name: String, _ run: @escaping @Sendable ([UInt8]) async -> String?) {
        self.name = name
        trial = .waiting(run)
    }

    package func run(_ input: [UInt8]) async -> String? {
        switch trial {
        case .plain(let run): run(input)
        case .waiting(let run): await run(input)
        }
    }

    package static let all: [FuzzTarget] =
        encodings + tokens + addresses + requests + records + settings + clients
}

/// The input as text; bytes that are no UTF-8 are mended, as they are on the way to every parser of text.
func text(_ input: some Sequence<UInt8>) -> String { String(decoding: Array(input), as: UTF8.self) }

/// The input in two at its first line feed, for targets that need two texts.
func halves(_ input: [UInt8]) -> (first: [UInt8], second: [UInt8]) {
    guard let cut = input.firstIndex(of: 0x0A) else { return (input, input) }
    return (Array(input[..<cut]), Array(input[(cut + 1)...]))
}

/// Byte by byte: text compares by canonical equivalence.
func same(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
