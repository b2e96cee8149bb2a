import Bridge

/// Keys for people: id, purpose, algorithm, what each does now, and its times; never a secret.
struct KeyListing {
    let text: String

    init(_ keys: [KeyOverview]) { text = keys.map(Self.line).joined(separator: "\n") }

    static func line(_ key: KeyOverview) -> String {
        let end = key.retiresAt.map { ", retires \($0.rfc3339)" } ?? ""
        return [
            key.id, purpose(key), key.algorithm.rawValue, key.state.rawValue,
            "signs from \(key.signsFrom.rfc3339)"
                + (key.withdrawnAt.map { ", retired at once \($0.rfc3339)" } ?? end),
        ].joined(separator: "  ")
    }

    static func purpose(_ key: KeyOverview) -> String {
        key.use == "login_token" ? "login tokens" : "access and ID tokens"
    }
}
