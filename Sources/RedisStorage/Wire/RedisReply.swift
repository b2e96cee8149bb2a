import OAuth2

/// One reply of a Redis server (RESP2, the protocol version that hiredis 0.14 reads).
package enum RedisReply: Hashable, Sendable {
    case status(String)
    case integer(Int64)
    case bulk([UInt8])
    case null
    case array([RedisReply])
    case error(RedisServerError)

    /// The text of a status or a bulk string.
    var text: String? {
        switch self {
        case .status(let text): text
        case .bulk(let bytes): String(decoding: bytes, as: UTF8.self)
        default: nil
        }
    }

    var serverError: RedisServerError? {
        if case .error(let error) = self { error } else { nil }
    }

    var elements: [RedisReply]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    var integerValue: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }
}

/// A command that the server refused.
package struct RedisServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first word: `OOM`, `READONLY`, `MOVED`, `NOSCRIPT` …
    package let code: String
    /// The rest. It may quote arguments, so it goes into no log.
    let detail: String

    init(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        code = String(parts[0])
        detail = parts.count > 1 ? String(parts[1]) : ""
    }

    /// Whether it is that of a replica. Before Redis 7 a script says so behind a word of its own.
    var isReadOnly: Bool { code == "READONLY" || code == "ERR" && detail.contains("READONLY ") }

    /// Whether it is that of a cluster's node which has lost the others, or knows nobody who serves the slot.
    var isClusterDown: Bool { code == "CLUSTERDOWN" }

    package var description: String {
        // What is not a Redis server may send anything as its first word.
        let isWord = code.utf8.count <= 20 && code.utf8.allSatisfy(ASCII.isUppercase)
        return "Redis refused a command: \(isWord ? code : "no known reason")"
    }
}
