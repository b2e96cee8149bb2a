import Bridge
import OAuth2

/// A logout request, checked as far as it can be without the browser's session.
struct LogoutRequest: Sendable {
    private static let sealedName = "request"
    private static let sealedLifetime = Duration.seconds(300)
    private static let maximumSealedBytes = 4096

    private static let names = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state", "ui_locales"]

    /// `nil` when there is none, or one that we did not issue.
    let hint: PresentedIDToken?
    /// Where the browser goes afterwards; `nil` unless a hint of ours names a client that registered the address
    /// (contract §5.8).
    let target: String?
    /// What a form sends on.
    let fields: [HiddenField]

    /// A request with a flaw becomes one without the flawed part: a person is in front of it, who is asked
    /// (contract §5.8).
    /// - Throws: ``StorageError`` when the database cannot say whether the key of a hint is ours.
    init(
        _ parameters: FormParameters, provider: ProviderServices, clients: Reloadable<ClientDirectory>
    ) async throws {
        fields = Self.names.compactMap { name in
            guard !parameters.isRepeated(name) else { return nil }
            return parameters[name].map { HiddenField(name: name, value: $0) }
        }
        let values = Dictionary(fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        let token = values["id_token_hint"].map { Secret($0) }
        if let token { try await provider.idTokens.learnKey(of: token) }
        let presented = token.flatMap { provider.idTokens.readKnown($0) }
        hint = presented.flatMap { hint in
            values["client_id"].map { $0 == hint.audience.rawValue } ?? true ? hint : nil
        }
        target = Self.target(
            values["post_logout_redirect_uri"], state: values["state"],
            client: hint.flatMap { clients.current[$0.audience] })
    }

    /// This request as an address, in which nothing can be read: a hint is a token, and addresses are kept in
    /// histories and logs (RFC 9700 §4.2).
    /// - Throws: ``StorageError/unavailable(_:because:)`` when no key may seal now.
    func location(at origin: WebOrigin, sealedWith seal: ShortLivedSeal) throws -> String {
        let form = fields.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        let address = "\(origin)\(LogoutController.path)"
        // Too long for a header line of proxies: then the user is asked, and stays here.
        guard !form.isEmpty, form.utf8.count <= Self.maximumSealedBytes else { return address }
        return "\(address)?\(Self.sealedName)=\(try seal.seal(Array(form.utf8), lifetime: Self.sealedLifetime))"
    }

    /// The parameters of a GET: those that ``location(at:sealedWith:)`` sealed, else its own.
    ///
    /// A seal that is too old counts as a request without parameters.
    static func parameters(
        of query: FormParameters, openedWith seal: ShortLivedSeal
    ) throws(FormParameters.Failure) -> FormParameters {
        guard let sealed = query[sealedName] else { return query }
        return try FormParameters(parsing: seal.open(sealed) ?? [])
    }

    private static func target(_ uri: String?, state: String?, client: Client?) -> String? {
        guard let uri, let client,
            client.postLogoutRedirectURIs.contains(where: { $0.description.hasSameBytes(as: uri) })
        else { return nil }
        return state.map { RedirectAnswer.location(uri, [("state", $0)]) } ?? uri
    }
}
