import Bridge

/// One user for `users list`: fields separated by tabs, `-` for what a user does not have.
struct UserLine {
    let text: String

    init(_ user: UserOverview) {
        text = [
            user.subject.rawValue, user.username ?? "-", user.role ?? "-", user.hasSecondFactor ? "second factor" : "-",
            user.issuer, user.firstSeenAt.rfc3339, user.disabledAt.map { "disabled \($0.rfc3339)" } ?? "active",
        ].joined(separator: "\t")
    }
}
