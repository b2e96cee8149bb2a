/// Lets trusted issuers speak for their own users and sessions alone (contract §1.3).
///
/// Stands behind the cache of verified tokens: what a subject is may change while a token lives.
package struct IssuerBoundary: BearerAuthenticator {
    private let issuers: any BearerAuthenticator
    private let subjects: Subjects
    private let parents: ParentSessions

    package init(_ issuers: any BearerAuthenticator, subjects: Subjects, parents: ParentSessions) {
        self.issuers = issuers
        self.subjects = subjects
        self.parents = parents
    }

    package func authenticate(_ token: Secret<String>, at now: Timestamp) async throws -> BearerIdentity {
        let identity = try await issuers.authenticate(token, at: now)
        guard try await subjects.mayBeNamed(by: identity, at: now) else { throw BearerRefusal.subjectOfAnotherIssuer }
        // Nothing may be hung under somebody's session here on the word of somebody else.
        guard try await parents.standing(of: identity.sessionID, scope: nil, at: now) == .mayIssue(.foreign) else {
            throw BearerRefusal.sessionOfAnotherIssuer
        }
        return identity
    }
}
