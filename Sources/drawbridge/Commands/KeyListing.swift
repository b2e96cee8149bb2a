import Bridge

extension Listing {
    /// Keys: what each is for, what it does now, and its times; never a secret.
    init(keys: [KeyOverview]) {
        self.init(
            columns: ["kid", "purpose", "algorithm", "state", "signs_from", "ends"],
            rows: keys.map { key in
                [
                    key.id, KeyWords.purpose(key), key.algorithm.rawValue, key.state.rawValue, key.signsFrom.rfc3339,
                    key.withdrawnAt.map { "retired at once \($0.rfc3339)" } ?? key.retiresAt.map(\.rfc3339),
                ]
            })
    }
}

/// A key in words.
enum KeyWords {
    /// What it signs.
    static func purpose(_ key: KeyOverview) -> String {
        key.use == .loginToken ? "login tokens" : "access and ID tokens"
    }

    /// One line: what it is for, what it does now, and its times.
    static func line(_ key: KeyOverview) -> String {
        let end =
            key.withdrawnAt.map { ", retired at once \($0.rfc3339)" } ?? key.retiresAt.map { ", retires \($0.rfc3339)" }
        return [
            key.id, purpose(key), key.algorithm.rawValue, key.state.rawValue,
            "signs from \(key.signsFrom.rfc3339)\(end ?? "")",
        ].joined(separator: "  ")
    }
}
