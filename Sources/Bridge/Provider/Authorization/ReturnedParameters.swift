package import OAuth2

/// What a client sends in order to have it back as it was: `nonce` in the ID token, `state` beside the code.
package enum ReturnedParameters {
    private static let limits = [("nonce", 512), ("state", 4096)]

    /// What is wrong with the first of them that is (docs/rules/authorization-request.md A9).
    package static func problem(in parameters: FormParameters) -> String? {
        for (name, limit) in limits {
            guard let bytes = parameters.bytes(name) else { continue }
            if bytes.count > limit { return "\(name) is longer than \(limit) bytes" }
            if parameters[name] == nil { return "\(name) is not UTF-8" }
            // No store takes it, and no client means it.
            if bytes.contains(0) { return "\(name) has a zero byte" }
        }
        return nil
    }
}
