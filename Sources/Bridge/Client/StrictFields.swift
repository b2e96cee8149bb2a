import OAuth2

/// Reads a document's fields so that a wrong type becomes an error that names the field.
struct StrictFields<Key: CodingKey & RawRepresentable<String>> {
    let container: KeyedDecodingContainer<Key>

    func text(_ key: Key) throws -> String? {
        let text = try value(String.self, key, "must be text")
        if let text, text.isEmpty || text.utf8.count > 2048 {
            throw ClientDocumentError(field: key.rawValue, problem: "must be 1 to 2048 bytes long")
        }
        return text
    }

    /// Text that may be empty.
    func optionalText(_ key: Key) throws -> String? { try value(String.self, key, "must be text") }

    func flag(_ key: Key) throws -> Bool? { try value(Bool.self, key, "must be true or false") }

    func list(_ key: Key) throws -> [String]? { try value([String].self, key, "must be a list of texts") }

    /// One word of a closed set.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ key: Key) throws -> Word? {
        guard let text = try text(key) else { return nil }
        guard let word = Word(rawValue: text) else {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw ClientDocumentError(field: key.rawValue, problem: "must be one of \(known)")
        }
        return word
    }

    /// A number of seconds.
    func seconds(_ key: Key, in range: ClosedRange<Int>) throws -> Duration? {
        guard let seconds = try value(Int.self, key, "must be a whole number of seconds") else { return nil }
        guard range.contains(seconds) else {
            throw ClientDocumentError(
                field: key.rawValue,
                problem: "must be between \(range.lowerBound) and \(range.upperBound) seconds")
        }
        return .seconds(seconds)
    }

    /// A list of words of a closed set.
    func words<Word: RawRepresentable<String> & CaseIterable & Hashable>(_ key: Key) throws -> Set<Word>? {
        guard let texts = try list(key) else { return nil }
        let words = texts.compactMap(Word.init(rawValue:))
        guard words.count == texts.count else {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw ClientDocumentError(field: key.rawValue, problem: "must be a list of \(known)")
        }
        return Set(words)
    }

    func json(_ key: Key) throws -> JSONValue? { try value(JSONValue.self, key, "must be a JSON object") }

    private func value<Value: Decodable>(_ type: Value.Type, _ key: Key, _ problem: String) throws -> Value? {
        guard container.contains(key) else { return nil }
        do {
            return try container.decode(Value.self, forKey: key)
        } catch is DecodingError {
            throw ClientDocumentError(field: key.rawValue, problem: problem)
        }
    }
}

/// Any name that a document may hold, so that unknown ones are seen.
struct AnyField: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
