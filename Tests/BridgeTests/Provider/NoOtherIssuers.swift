import OAuth2

@testable import Bridge

/// In the place of the issuers that a bridge trusts besides its own provider.
///
/// It pretends that there is none: it refuses every token, and never looks into one.
struct NoOtherIssuers: BearerAuthenticator {
    func authenticate(_ token: Secret<String>, at now: Timestamp) throws -> BearerIdentity {
        throw BearerRefusal.unknownIssuer
    }

    func mustAskIssuer(about token: Secret<String>, at now: Timestamp) -> Bool { false }
}
