import Bridge

extension Listing {
    /// Users for `users list`; only accounts of this service have names, roles and second factors.
    init(users: [UserOverview]) {
        self.init(
            columns: ["sub", "username", "role", "second_factor", "issuer", "first_seen_at", "state"],
            rows: users.map { user in
                [
                    user.subject.rawValue, user.username.map { "\($0)" }, user.role.map { "\($0)" },
                    user.hasSecondFactor ? "yes" : "no", user.issuer, user.firstSeenAt.rfc3339,
                    user.disabledAt.map { "disabled \($0.rfc3339)" } ?? "active",
                ]
            })
    }
}
