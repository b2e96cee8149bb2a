package import OAuth2

/// The settings as JSON: what administrators send, and what is stored.
package enum NativeSSOSettingsText {
    /// Reads a partial body in the shape of `PUT`; `rateLimit.x` may also be written as one name.
    /// - Throws: `invalid_request` naming the field and its range.
    package static func read(_ body: [UInt8]) throws(OAuthError) -> [NativeSSOField: NativeSSOValue] {
        let object = try OAuthError.object(inBody: body)
        var members: [(String, JSONValue)] = []
        for (name, value) in object.sorted(by: { $0.key < $1.key }) {
            if name == "rateLimit" {
                guard let inner = value.object else {
                    throw OAuthError(.invalidRequest, "rateLimit must be an object")
                }
                members += inner.sorted { $0.key < $1.key }.map { ("rateLimit.\($0.key)", $0.value) }
            } else {
                members.append((name, value))
            }
        }
        var fields: [NativeSSOField: NativeSSOValue] = [:]
        for (name, value) in members {
            guard let field = NativeSSOField(rawValue: name) else {
                throw OAuthError.unknown(
                    name, as: "setting of native-sso", known: NativeSSOField.allCases.map(\.rawValue))
            }
            guard let read = self.value(value), field.problem(with: read) == nil else {
                let problem = field.problem(with: self.value(value) ?? .word("")) ?? "is malformed"
                throw OAuthError(.invalidRequest, "\(field.rawValue) \(problem)")
            }
            guard fields.updateValue(read, forKey: field) == nil else {
                throw OAuthError(.invalidRequest, "\(field.rawValue) is repeated")
            }
        }
        return fields
    }

    /// As it is stored: flat, in order of name.
    static func write(_ fields: [NativeSSOField: NativeSSOValue]) -> String {
        var object = JSONObjectWriter()
        for (field, value) in fields.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            switch value {
            case .flag(let flag): object.add(field.rawValue, flag)
            case .number(let number): object.add(field.rawValue, Int64(number))
            case .word(let word): object.add(field.rawValue, word)
            }
        }
        return object.finishedText()
    }

    private static func value(_ value: JSONValue) -> NativeSSOValue? {
        if let flag = value.bool { return .flag(flag) }
        if let number = value.wholeNumber.flatMap({ Int(exactly: $0) }) { return .number(number) }
        return value.string.map(NativeSSOValue.word)
    }
}
