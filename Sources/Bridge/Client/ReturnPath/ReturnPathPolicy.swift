import OAuth2

/// Where a redemption may land on one website: an allow-list and a default (docs/rules/return-path.md).
package struct ReturnPathPolicy: Hashable, Sendable {
    /// The listed entries, in order.
    package let entries: [ReturnPathEntry]
    /// Where a visit lands that names no path, or one that is not allowed; itself on the list.
    package let defaultPath: ReturnPath?

    /// Allows nothing; a website with this policy cannot be reached.
    package static let none = ReturnPathPolicy(unchecked: [], defaultPath: nil)

    private init(unchecked entries: [ReturnPathEntry], defaultPath: ReturnPath?) {
        self.entries = entries
        self.defaultPath = defaultPath
    }

    /// Checks the entries by the rules that requests are checked by.
    /// - Parameter allowsAnyPath: accepts the entry `/*`.
    /// - Throws: ``ReturnPathPolicyError``.
    package init(entries: [String], defaultPath: String, allowsAnyPath: Bool = false) throws(ReturnPathPolicyError) {
        var parsed: [ReturnPathEntry] = []
        for entry in entries {
            guard let rule = ReturnPathEntry(entry) else { throw .malformedEntry(entry) }
            guard allowsAnyPath || rule != .anyPath else { throw .anyPathNotAllowed }
            parsed.append(rule)
        }
        self.entries = parsed
        switch Self.decide(Array(defaultPath.utf8), entries: parsed) {
        case .accepted(let path): self.defaultPath = path
        case .refused: throw .defaultNotListed(defaultPath)
        }
    }

    /// Decides about the bytes that one form-url-decoding of the `redirect` parameter gave.
    package func decide(_ input: [UInt8]) -> ReturnPathDecision { Self.decide(input, entries: entries) }

    /// The entry that allows a path: the first of those that do.
    package func entry(allowing path: ReturnPath) -> ReturnPathEntry? { entries.first { $0.matches(path) } }

    private static func decide(_ input: [UInt8], entries: [ReturnPathEntry]) -> ReturnPathDecision {
        switch ReturnPath.parse(input) {
        case .failure(let refusal): .refused(refusal)
        case .success(let path): entries.contains { $0.matches(path) } ? .accepted(path) : .refused(.notListed)
        }
    }
}

/// What an allow-list says of a requested path (contract §4.3).
package enum ReturnPathDecision: Hashable, Sendable {
    case accepted(ReturnPath)
    case refused(ReturnPathRefusal)
}

/// Why a path was refused; the words of `redirect.refused` in the audit log (contract §4.3).
package enum ReturnPathRefusal: String, Error, Sendable, CaseIterable {
    case malformed
    case tooLong = "too_long"
    case repeated
    case notListed = "not_listed"
    case differsFromSealed = "differs_from_sealed"
}

/// Why an allow-list was not accepted.
package enum ReturnPathPolicyError: Error, Hashable, Sendable {
    case malformedEntry(String)
    /// `/*` without the switch that says it is meant.
    case anyPathNotAllowed
    case defaultNotListed(String)
}

/// What the audit log keeps of a refused redirect: its length and the first bytes of its path, never its query
/// (docs/rules/return-path.md P8), and of a path with a secret in it the length alone.
enum RefusedRedirect {
    static let keptBytes = 64

    /// One line of JSON, `{"length":…,"path":"…"}`. Bytes outside visible ASCII are written as `\xNN`, so that
    /// nothing in the log can act on a terminal or a page.
    static func detail(_ input: [UInt8]) -> String {
        let path = input.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard !StrayedSecret.isIn(path) else { return RefusedParameter.length(of: input) }
        return #"{"length":\#(input.count),"path":\#(RefusedParameter.quoted(path, keptBytes))}"#
    }
}

/// What the audit log keeps of a parameter that means nothing to us, so that its sender can find the mistake.
enum RefusedParameter {
    /// One line of JSON, `{"<name>":"…"}`, with the value's first 64 bytes; `{"length":…}` where it has a secret in it,
    /// which was put into the wrong place (contract §8).
    static func detail(_ name: String, _ value: [UInt8]) -> String {
        guard !StrayedSecret.isIn(value[...]) else { return length(of: value) }
        return "{\(JSONText.quoted(name)):\(quoted(value[...], 64))}"
    }

    static func length(of value: [UInt8]) -> String { #"{"length":\#(value.count)}"# }

    /// A JSON string. Bytes outside visible ASCII are written as `\xNN`, so that nothing in the log can act on a
    /// terminal or a page.
    static func quoted(_ value: ArraySlice<UInt8>, _ keptBytes: Int) -> String {
        JSONText.quoted(
            value.prefix(keptBytes).map { byte in
                ASCII.isPrintable(byte) && byte != UInt8(ascii: "\\")
                    ? String(UnicodeScalar(byte)) : "\\x" + HexDigit.encode([byte])
            }.joined())
    }
}
