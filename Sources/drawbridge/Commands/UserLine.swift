import Bridge

/// One user for `users list`: fields with tabs between them, `-` for what a user has not.
struct UserLine {
    let text: String

    init(_ user: UserOverview) {
        text = [
            user.subject.rawValue, user.username ?? "-", user.role ?? "-", user.hasSecondFactor ? "second factor" : "-",
            user.issuer, user.firstSeenAt.rfc3339, user.disabledAt.map { "disabled \($0.rfc3339)" } ?? "active",
        ].joined(separator: "\t")
    }
}
