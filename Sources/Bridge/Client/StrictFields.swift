import OAuth2

/// Reads a document's fields and notes every fault by the field's name; a faulty field reads as one that is not there.
///
/// Nothing throws on the way, so that the document's author hears of all its faults at once.
struct StrictFields<Key: CodingKey & RawRepresentable<String>> {
    let container: KeyedDecodingContainer<Key>
    /// Whether the document was taken before, maybe by an earlier version with fewer rules.
    let isStored: Bool
    private(set) var problems: [ClientDocumentError.Problem] = []

    init(container: KeyedDecodingContainer<Key>, isStored: Bool = false) {
        self.container = container
        self.isStored = isStored
    }

    mutating func note(_ key: Key, _ problem: String) { note(named: key.rawValue, problem) }

    mutating func note(named name: String, _ problem: String) {
        problems.append(ClientDocumentError.Problem(field: name, text: problem))
    }

    /// Whether nothing is noted against these fields, so that a rule between them can say something.
    func areSound(_ keys: Key...) -> Bool {
        problems.allSatisfy { problem in !keys.contains { $0.rawValue == problem.field } }
    }

    func contains(_ key: Key) -> Bool { container.contains(key) }

    mutating func text(_ key: Key) -> String? {
        guard let text = value(String.self, key, "must be text") else { return nil }
        guard (1...2048).contains(text.utf8.count) else {
            note(key, "must be 1 to 2048 bytes long")
            return nil
        }
        return text
    }

    /// Text that may be empty. Its length is for the caller to bound.
    mutating func possiblyEmptyText(_ key: Key) -> String? { value(String.self, key, "must be text") }

    mutating func flag(_ key: Key) -> Bool? { value(Bool.self, key, "must be true or false") }

    mutating func list(_ key: Key) -> [String]? { value([String].self, key, "must be a list of texts") }

    /// One word of a closed set.
    mutating func word<Word: RawRepresentable<String> & CaseIterable>(_ key: Key) -> Word? {
        guard let text = text(key) else { return nil }
        guard let word = Word(rawValue: text) else {
            note(key, "must be one of \(Self.known(Word.self))")
            return nil
        }
        return word
    }

    /// A number of seconds.
    mutating func seconds(_ key: Key, in range: ClosedRange<Int>) -> Duration? {
        guard let seconds = value(Int.self, key, "must be a whole number of seconds") else { return nil }
        guard range.contains(seconds) else {
            note(key, "must be between \(range.lowerBound) and \(range.upperBound) seconds")
            return nil
        }
        return .seconds(seconds)
    }

    /// A list of words of a closed set.
    mutating func words<Word: RawRepresentable<String> & CaseIterable & Hashable>(_ key: Key) -> Set<Word>? {
        guard let texts = list(key) else { return nil }
        let words = texts.compactMap(Word.init(rawValue:))
        guard words.count == texts.count else {
            note(key, "must be a list of \(Self.known(Word.self))")
            return nil
        }
        return Set(words)
    }

    mutating func json(_ key: Key) -> JSONValue? { value(JSONValue.self, key, "must be a JSON object") }

    private static func known<Word: RawRepresentable<String> & CaseIterable>(_ words: Word.Type) -> String {
        Word.allCases.map(\.rawValue).joined(separator: ", ")
    }

    private mutating func value<Value: Decodable>(_ type: Value.Type, _ key: Key, _ problem: String) -> Value? {
        guard container.contains(key) else { return nil }
        guard let value = try? container.decode(Value.self, forKey: key) else {
            note(key, problem)
            return nil
        }
        return value
    }
}

/// Any name that a document may hold, so that unknown ones are seen.
struct AnyField: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
