import OAuth2

@testable import Bridge

/// In the place of accounts: knows the address, the name and the groups of everybody.
///
/// It pretends that every subject is Alice of the staff. It never fails, and nothing it says of her changes.
struct KnownUsers: UserClaimsSource {
    func claims(of subject: Subject) -> [String: JSONValue] {
        [
            "email": .string("alice@example.com"), "name": .string("Alice"),
            UserGroups.claim: .array([.string("staff")]),
        ]
    }
}
