/// What authorization requests are held against, whenever one is read: clients may change between two of them.
package struct AuthorizationRequestRules: Sendable {
    let issuer: String
    let clients: Reloadable<ClientDirectory>
    private let subjectOfHint: @Sendable (String) -> Subject?

    /// - Parameter subjectOfHint: the user that an `id_token_hint` names; `nil` for one that we did not sign.
    package init(
        issuer: String, clients: Reloadable<ClientDirectory>,
        subjectOfHint: @escaping @Sendable (String) -> Subject?
    ) {
        self.issuer = issuer
        self.clients = clients
        self.subjectOfHint = subjectOfHint
    }

    /// A reader for the clients as they are now.
    var reader: AuthorizationRequestReader {
        AuthorizationRequestReader(issuer: issuer, clients: clients.current, subjectOfHint: subjectOfHint)
    }
}
