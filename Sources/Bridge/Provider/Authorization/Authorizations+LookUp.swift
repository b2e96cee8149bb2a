import OAuth2

extension Authorizations {
    /// The parameters that a request stands for: its own, or those that it pushed ahead (RFC 9126 §4).
    func lookUp(
        _ parameters: FormParameters
    ) async throws -> (pushed: AuthorizationRequestReader.Pushed, parameters: String, digest: String?) {
        let prefix = AuthorizationRequestReader.requestURIPrefix
        guard let uri = parameters["request_uri"], uri.hasPrefix(prefix) else {
            return (.none, AuthorizationParameter.serialize(parameters), nil)
        }
        guard let secret = OpaqueSecret(String(uri.dropFirst(prefix.count)), kind: .pushedRequest),
            let found = try await pushed.pushedRequest(digest: secret.digest), found.usedAt == nil,
            time.now() < found.expiresAt, found.clientID.rawValue == parameters["client_id"],
            let inner = try? FormParameters(parsing: found.parameters.utf8)
        else { return (.unusable, "", nil) }
        return (.found(inner), found.parameters, found.digest)
    }
}
