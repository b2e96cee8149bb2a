import OAuth2

/// What authorization requests are held against, whenever one is read: clients may change between two of them.
package struct AuthorizationRequestRules: Sendable {
    let issuer: String
    let clients: Reloadable<ClientDirectory>
    private let idTokens: IDTokenCodec?

    /// - Parameter idTokens: reads an `id_token_hint`; `nil` where we issue none.
    package init(issuer: String, clients: Reloadable<ClientDirectory>, idTokens: IDTokenCodec?) {
        self.issuer = issuer
        self.clients = clients
        self.idTokens = idTokens
    }

    /// A reader for the clients as they are now, and the keys of hints that this node knows.
    var reader: AuthorizationRequestReader {
        AuthorizationRequestReader(issuer: issuer, clients: clients.current) { [idTokens] hint in
            idTokens?.readKnown(Secret(hint))?.subject
        }
    }

    /// Sees to it that ``reader`` knows the key of a request's `id_token_hint`, if it is one of ours.
    /// - Throws: ``StorageError`` when the database cannot say.
    func learnKey(ofHintIn parameters: FormParameters) async throws {
        guard let idTokens, let hint = parameters[AuthorizationParameter.idTokenHint] else { return }
        try await idTokens.learnKey(of: Secret(hint))
    }
}
