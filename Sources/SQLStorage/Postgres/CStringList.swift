import Foundation

/// Texts as C wants them, for one call: an array of pointers to zero-terminated bytes.
///
/// The bytes are one after the other in one allocation, copied as a whole: a redemption has some sixty arguments.
struct CStringList {
    private var bytes: [UInt8] = []
    /// Where each text begins; `nil` for none.
    private var starts: [Int?] = []

    var count: Int { starts.count }

    mutating func append(_ text: String?) {
        guard let text else { return starts.append(nil) }
        starts.append(bytes.count)
        bytes.append(contentsOf: text.utf8)
        bytes.append(0)
    }

    func withPointers<Value>(_ body: (UnsafePointer<UnsafePointer<CChar>?>?) throws -> Value) rethrows -> Value {
        try bytes.withUnsafeBytes { bytes in
            let base = bytes.assumingMemoryBound(to: CChar.self).baseAddress
            let pointers: [UnsafePointer<CChar>?] = starts.map { start in
                start.flatMap { start in base.map { $0 + start } }
            }
            return try pointers.withUnsafeBufferPointer { try body($0.baseAddress) }
        }
    }
}

extension CStringList {
    /// Statement arguments in PostgreSQL's text format.
    /// - Throws: ``SQLError`` for text with a zero byte, which would end there.
    init(_ arguments: [SQLValue]) throws {
        starts.reserveCapacity(arguments.count)
        for argument in arguments {
            switch argument {
            case .null: append(nil)
            case .integer(let number): append(String(number))
            case .text(let text):
                let start = bytes.count
                append(text)
                guard !bytes[start..<bytes.count - 1].contains(0) else {
                    throw SQLError(kind: .refused, text: "text with a zero byte cannot be stored")
                }
            case .foreign: throw SQLError(kind: .refused, text: "a value of a foreign kind cannot be stored")
            }
        }
    }
}
