/// Parameters of an `application/x-www-form-urlencoded` body or a URL query, decoded once.
///
/// RFC 6749 §3.1 forbids repeated parameters and treats an empty value as an absent one. Names and values stay
/// bytes until asked for, so invalid UTF-8 is seen and never silently replaced.
package struct FormParameters: Sendable {
    /// Why a form was not accepted.
    package enum Failure: Error, Equatable {
        /// A `%` that two hexadecimal digits do not follow.
        case malformedEscape
        /// More than ``maximumCount`` parameters.
        case tooMany
    }

    /// Enough for every request of ours several times over; bounds the work that one request can cause.
    package static let maximumCount = 64

    private let pairs: [(name: [UInt8], value: [UInt8])]

    /// No parameters at all.
    package static let none = FormParameters(pairs: [])

    private init(pairs: [(name: [UInt8], value: [UInt8])]) {
        self.pairs = pairs
    }

    /// Decodes `name=value&…`; `+` is a space, `%XX` a byte.
    /// - Throws: ``Failure``.
    package init(parsing text: some Sequence<UInt8>) throws(Failure) { try self.init(bytes: Array(text)) }

    /// As ``init(parsing:)``. Not generic: other modules would run it unspecialised.
    package init(bytes text: [UInt8]) throws(Failure) { try self.init(bytes: text) { _ in false } }

    /// As ``init(parsing:)``, but what cannot be decoded stays as it came, and then matches nothing: one bad escape
    /// does not spoil the rest of a link.
    /// - Parameter names: parameters that have to be well-formed all the same.
    package init(keepingMalformed text: [UInt8], besides names: [String] = []) throws(Failure) {
        try self.init(bytes: text) { name in !names.contains { Self.is(name, $0) } }
    }

    /// - Parameter keepsMalformed: whether what cannot be decoded of the parameter of this name stays as it came.
    private init(bytes text: [UInt8], keepsMalformed: (_ name: ArraySlice<UInt8>) -> Bool) throws(Failure) {
        var pairs: [(name: [UInt8], value: [UInt8])] = []
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex(of: UInt8(ascii: "&")) ?? text.count
            if start < end {
                guard pairs.count < Self.maximumCount else { throw .tooMany }
                let separator = text[start..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
                let encoded = text[start..<separator]
                let name = try Self.decode(encoded, orKeep: keepsMalformed(encoded))
                let value = text[min(separator + 1, end)..<end]
                pairs.append((name, try Self.decode(value, orKeep: keepsMalformed(name[...]))))
            }
            start = end + 1
        }
        self.pairs = pairs
    }

    /// How many parameters there are, repeated ones counted each time.
    package var count: Int { pairs.count }

    /// The parameter names that occur, each once, in order; undecodable names are left out.
    package var names: [String] {
        var seen: [String] = []
        for pair in pairs {
            if let name = String(validating: pair.name, as: UTF8.self), !seen.contains(name) { seen.append(name) }
        }
        return seen
    }

    /// Whether a parameter occurs more than once, empty or not.
    package func isRepeated(_ name: String) -> Bool {
        pairs.count(where: { Self.is($0.name, name) }) > 1
    }

    /// These parameters with what `others` say by this name, if they do: what came by two ways came twice.
    package func adding(_ name: String, of others: FormParameters) -> FormParameters {
        FormParameters(pairs: pairs + others.pairs.filter { Self.is($0.name, name) && !$0.value.isEmpty })
    }

    /// Whether any parameter occurs more than once.
    package var hasRepeated: Bool { hasRepeated(besides: nil) }

    /// Whether any parameter occurs more than once, besides one that may.
    package func hasRepeated(besides exempt: String?) -> Bool {
        // At most 64 names: comparing each with those before it is cheaper than hashing them.
        pairs.indices.contains { index in
            let name = pairs[index].name
            return pairs[..<index].contains { $0.name == name } && !(exempt.map { Self.is(name, $0) } ?? false)
        }
    }

    /// The value's bytes; `nil` when absent or empty. If repeated, the first one's, so ask ``isRepeated(_:)`` before.
    package func bytes(_ name: String) -> [UInt8]? {
        guard let pair = pairs.first(where: { Self.is($0.name, name) }) else { return nil }
        return pair.value.isEmpty ? nil : pair.value
    }

    /// The value as text; `nil` when absent, empty or not UTF-8.
    package subscript(_ name: String) -> String? {
        bytes(name).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Whether a parameter says nothing but one of `values`, however often it occurs; an empty value is an absent one.
    package func keeps(_ name: String, to values: [String]) -> Bool {
        pairs.allSatisfy { pair in
            !Self.is(pair.name, name) || pair.value.isEmpty || values.contains { Self.is(pair.value, $0) }
        }
    }

    /// - Parameters:
    ///   - exempt: the one that may.
    ///   - detail: for the audit log, where a repeated parameter is noted there.
    /// - Throws: `invalid_request` when any parameter occurs more than once, which RFC 6749 §3.1 and §3.2 forbid.
    package func checkUnique(besides exempt: String? = nil, detail: String? = nil) throws(OAuthError) {
        guard !hasRepeated(besides: exempt) else {
            throw OAuthError(.invalidRequest, "a parameter is repeated", detail: detail)
        }
    }

    /// A value that is not text would be absent where it is read as text.
    /// - Throws: `invalid_request` when any name or value is not UTF-8, which RFC 6749 Appendix B has them be.
    package func checkText() throws(OAuthError) {
        guard pairs.allSatisfy({ Self.isText($0.name) && Self.isText($0.value) }) else {
            throw OAuthError(.invalidRequest, "a parameter is not UTF-8")
        }
    }

    private static func isText(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

    private static func `is`(_ bytes: some Collection<UInt8>, _ name: String) -> Bool {
        bytes.count == name.utf8.count && bytes.elementsEqual(name.utf8)
    }

    /// One value as a form writes it, decoded; also what RFC 6749 §2.3.1 has Basic credentials be.
    package static func decode(_ part: ArraySlice<UInt8>) throws(Failure) -> [UInt8] {
        guard part.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else { return Array(part) }
        guard let bytes = PercentEncoding.decode(bytes: part, plusIsSpace: true) else { throw .malformedEscape }
        return bytes
    }

    private static func decode(_ part: ArraySlice<UInt8>, orKeep keepsMalformed: Bool) throws(Failure) -> [UInt8] {
        guard keepsMalformed else { return try decode(part) }
        return (try? decode(part)) ?? Array(part)
    }
}
