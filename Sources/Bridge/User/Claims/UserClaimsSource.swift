package import OAuth2

/// What is known of users beyond their subject: the standard claims of OpenID Connect Core §5.1.
package protocol UserClaimsSource: Sendable {
    /// By name, without `sub`; empty for a user of whom nothing is known.
    func claims(of subject: Subject) async throws -> [String: JSONValue]
}

/// Knows nothing: users of a trusted issuer are subjects and no more.
package struct NoUserClaims: UserClaimsSource {
    package init() {}
    package func claims(of subject: Subject) -> [String: JSONValue] { [:] }
}

/// Which claims a scope opens (Core §5.4).
package enum ScopeClaims {
    private static let names: [String: Set<String>] = [
        "profile": [
            "name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture",
            "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at",
        ],
        "email": ["email", "email_verified"],
        "address": ["address"],
        "phone": ["phone_number", "phone_number_verified"],
        // No standard scope, but the name by which most relying parties ask.
        UserGroups.claim: [UserGroups.claim],
    ]

    /// Every name that some scope opens, in order.
    package static let all = names.values.reduce(into: Set()) { $0.formUnion($1) }.sorted()

    /// What a request may ask for by name, by its `claims` parameter: groups by their scope alone, since they are not a
    /// standard claim that a user expects to be asked for this way.
    package static func names(requested names: Set<String>, with scope: Scope) -> Set<String> {
        scope.contains(UserGroups.claim) ? names : names.subtracting([UserGroups.claim])
    }

    package static func names(openedBy scope: Scope) -> Set<String> {
        scope.tokens.reduce(into: []) { $0.formUnion(names[$1] ?? []) }
    }

    /// The scopes that a request for claims by name comes to; never the one for groups, which no name opens.
    fileprivate static func scopes(opening claims: Set<String>) -> [String] {
        names.keys.filter { $0 != UserGroups.claim && !(names[$0] ?? []).isDisjoint(with: claims) }.sorted()
    }
}

// Asking by name reveals no more than a scope does (contract §14, §16).
extension RequestedClaims {
    /// What of it these scopes open.
    package func limited(to scope: Scope) -> RequestedClaims {
        let names = ScopeClaims.names(openedBy: scope)
        return RequestedClaims(userInfo: userInfo.intersection(names), idToken: idToken.intersection(names))
    }

    /// The scopes that open the same claims.
    package var scopes: [String] { ScopeClaims.scopes(opening: userInfo.union(idToken)) }
}

/// Remembers what is known of users for a moment: resource servers ask for the same few users again and again.
///
/// A change by this process is seen at once, one by another within a second (contract §7).
package final class RememberedUserClaims: UserClaimsSource {
    private let source: any UserClaimsSource
    private let cache: ShortLivedCache<Subject, [String: JSONValue]>

    package init(_ source: any UserClaimsSource, time: TimeSource) {
        self.source = source
        cache = ShortLivedCache(time: time)
    }

    package func claims(of subject: Subject) async throws -> [String: JSONValue] {
        try await cache.value(for: subject) { try await source.claims(of: subject) }
    }

    /// Has the next look-up ask the source, after a change of our own.
    package func forget(_ subject: Subject) { cache.forget(subject) }
}
