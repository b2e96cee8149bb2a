import OAuth2

/// RFC 7396.
enum JSONMergePatch {
    static func apply(_ patch: [String: JSONValue], to target: [String: JSONValue]) -> [String: JSONValue] {
        var result = target
        for (name, value) in patch {
            if value.isNull {
                result[name] = nil
            } else if let object = value.object {
                result[name] = .object(apply(object, to: target[name]?.object ?? [:]))
            } else {
                result[name] = value
            }
        }
        return result
    }
}
