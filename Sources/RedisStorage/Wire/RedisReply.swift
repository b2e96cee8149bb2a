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

    /// Whether it is that of a cluster's node which has lost the others, or knows no node that serves the slot.
    var isClusterDown: Bool { code == "CLUSTERDOWN" }

    package var description: String {
        let word = reason
        // What is not a Redis server may send anything as its first word.
        guard word.utf8.count <= 20, word.utf8.allSatisfy(ASCII.isUppercase) else {
            return "Redis refused a command: no known reason"
        }
        let meaning = Self.meanings.first { $0.key == word }?.value
        return "Redis refused a command: \(word)\(meaning.map { " (\($0))" } ?? "")"
    }

    /// The word that says why. For what a script was refused, older servers say it after `ERR`, and those up to 7 have
    /// no word for a missing right.
    private var reason: String {
        guard code == "ERR" else { return code }
        if ["The user executing the script can't", "ACL failure in script"].contains(where: { detail.contains($0) }) {
            return "NOPERM"
        }
        return Self.meanings.first { detail.contains("-\($0.key) ") }?.key ?? code
    }

    private static let meanings: KeyValuePairs<String, String> = [
        "OOM": "its memory is full",
        "READONLY": "it is a replica, which takes no writes",
        "NOPERM": "its access list gives this user no right to it",
        "NOAUTH": "it asks for a password",
        "WRONGPASS": "the user or the password is wrong",
        "MISCONF": "it takes no writes while it cannot save to its disk",
        "NOREPLICAS": "it takes no writes without its replicas",
        "LOADING": "it still loads what it had saved",
    ]
}
