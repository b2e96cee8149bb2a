import Crypto
import OAuth2

/// The text that a record's hash covers.
///
/// Every field is written with its length, so that no two different events share one text: a version line, then
/// fields in the fixed order below, each as `<byte count>:<bytes>\n`, an absent one as `-\n`.
struct AuditRecordText {
    private static let version: StaticString = "drawbridge-audit-v1\n"
    /// What a field costs besides its bytes at most: a count of up to nineteen digits, a colon, a line feed.
    private static let fieldFrame = 21

    private let fields: [String?]
    private let sequence: Int64
    private let milliseconds: Int64

    init(_ event: AuditEvent, node: String, sequence: Int64, previousHash: String) {
        fields = [
            previousHash, node, event.type.rawValue, event.outcome.rawValue, event.reason, event.subject?.rawValue,
            event.clientID?.rawValue, event.targetClientID?.rawValue, event.sessionID?.rawValue,
            event.tokenID?.rawValue, event.address, event.userAgent, event.requestID, event.detail,
        ]
        self.sequence = sequence
        milliseconds = event.at.milliseconds
    }

    /// Base64url of its SHA-256.
    var hash: String {
        var size = Self.version.utf8CodeUnitCount + (fields.count + 2) * Self.fieldFrame + 40
        for field in fields { size += field?.utf8.count ?? 0 }
        // Verification hashes hundreds of thousands of records a second: no memory is asked for to write the text in.
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { memory in
            var output = RawBytes(memory)
            output.append(Self.version)
            for (index, field) in fields.enumerated() {
                output.append(field: field)
                // After the node.
                if index == 1 {
                    output.append(field: String(sequence))
                    output.append(field: String(milliseconds))
                }
            }
            var hasher = SHA256()
            hasher.update(bufferPointer: output.written)
            return Base64URL.encode(Array(hasher.finalize()))
        }
    }
}

extension AuditRecord {
    /// Whether the hash is the one that the fields give.
    package var isIntact: Bool {
        hash.hasSameBytes(
            as: AuditRecordText(event, node: node, sequence: sequence, previousHash: previousHash).hash)
    }
}

/// Bytes written one after the other into memory that is large enough.
private struct RawBytes {
    private let memory: UnsafeMutableRawBufferPointer
    private var count = 0

    init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
    }

    mutating func append(field: String?) {
        guard var field else { return append("-\n") }
        field.withUTF8 { bytes in
            append(number: bytes.count)
            append(UInt8(ascii: ":"))
            append(UnsafeRawBufferPointer(bytes))
        }
        append(UInt8(ascii: "\n"))
    }

    private mutating func append(_ byte: UInt8) {
        memory[count] = byte
        count += 1
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    private mutating func append(number: Int) {
        let start = count
        var rest = number
        repeat {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        memory[start..<count].reverse()
    }
}
