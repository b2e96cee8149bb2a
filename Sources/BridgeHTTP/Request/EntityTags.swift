import HTTPTypes
import Hummingbird
import OAuth2

/// The states of a resource that `If-Match` or `If-None-Match` names (RFC 9110 §13.1.1, §13.1.2).
struct EntityTags: Sendable {
    private struct Tag: Sendable {
        let isWeak: Bool
        /// The text with its quotes.
        let text: [UInt8]
    }

    /// `*`: whatever state there is.
    let isAny: Bool
    private let tags: [Tag]

    /// - Returns: `nil` for what is not a list of tags.
    init?(_ field: String) {
        var tags: [Tag] = []
        // A tag may hold commas, so the list is not split at them.
        var rest = field.utf8[...].drop(while: Self.isBetween)
        isAny = rest.elementsEqual("*".utf8)
        while !isAny, !rest.isEmpty {
            let isWeak = rest.starts(with: "W/".utf8)
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == UInt8(ascii: "\""), let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\""))
            else { return nil }
            tags.append(Tag(isWeak: isWeak, text: Array(rest[...end])))
            rest = rest[rest.index(after: end)...].drop(while: Self.isSpace)
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
            rest = rest.drop(while: Self.isBetween)
        }
        self.tags = tags
    }

    /// The strong tag of a content, with its quotes.
    static func strong(of content: [UInt8]) -> String { "\"\(SHA256Hash(of: content).base64URLOfHalf)\"" }

    /// Whether a state is among them by strong comparison, by which no weak tag is anything (RFC 9110 §8.8.3.2).
    /// - Parameter tag: strong, with its quotes.
    func containsStrongly(_ tag: String) -> Bool {
        isAny || tags.contains { !$0.isWeak && $0.text.elementsEqual(tag.utf8) }
    }

    /// Whether a state is among them by weak comparison.
    func containsWeakly(_ tag: String) -> Bool {
        isAny || tags.contains { $0.text.elementsEqual(tag.utf8) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// What may stand between the elements of a list, empty ones among them (RFC 9110 §5.6.1.2).
    private static func isBetween(_ byte: UInt8) -> Bool { isSpace(byte) || byte == UInt8(ascii: ",") }
}

extension Request {
    /// Whether the client has this state already, so that 304 is answered.
    func knows(_ tag: String) -> Bool {
        headers.value(of: .ifNoneMatch).flatMap(EntityTags.init)?.containsWeakly(tag) ?? false
    }
}
