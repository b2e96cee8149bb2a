/// One sign-in on its way through the browser: where to go, and what the answer must match.
///
/// Keep it until the answer comes, and use it once.
public struct SignInRequest: Sendable {
    /// Open this in the system's browser, never in a web view of the app (RFC 8252 §8.12).
    public let address: String
    /// Where the answer comes.
    public let redirect: RedirectAddress
    /// Sent along, and expected back unchanged.
    public let state: String
    let nonce: String
    let verifier: CodeVerifier
    let issuer: IssuerAddress
    let needsIssuer: Bool
    let maximumAge: Int?

    init(
        _ configuration: ClientConfiguration, metadata: ProviderMetadata, redirect: RedirectAddress,
        options: SignInOptions, proofThumbprint: String? = nil, random: RandomSource
    ) {
        self.redirect = redirect
        issuer = configuration.issuer
        needsIssuer = metadata.namesIssuerInAnswers
        maximumAge = options.maximumAge
        state = random.text(16)
        nonce = random.text(16)
        verifier = CodeVerifier(random: random)
        var parameters: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", configuration.clientID), ("redirect_uri", redirect.text),
            ("scope", configuration.scope.joined(separator: " ")), ("state", state), ("nonce", nonce),
            ("code_challenge", verifier.challenge), ("code_challenge_method", "S256"),
        ]
        parameters += options.parameters
        if let proofThumbprint { parameters.append(("dpop_jkt", proofThumbprint)) }
        let endpoint = metadata.authorizationEndpoint
        address = endpoint + (endpoint.contains("?") ? "&" : "?") + FormEncoding.encode(parameters)
    }

    /// Whether an address that the browser opened carries this sign-in's `state`. Others are not ours to answer.
    public func isAnswer(_ address: String) -> Bool {
        guard let query = address.split(separator: "?", maxSplits: 1).dropFirst().first,
            let parameters = FormEncoding.decode(query)
        else { return false }
        let states = parameters.filter { $0.name == "state" }
        return states.count == 1 && ConstantTime.equal(states[0].value, state)
    }

    /// What is wrong with an answer, before anything is done with it; `nil` when the sign-in can go on.
    ///
    /// For the page that the person sees in the browser; ``Drawbridge/finishSignIn(_:answer:)`` checks by itself.
    public func flaw(in address: String) -> ClientError? {
        do throws(ClientError) {
            _ = try SignInAnswer(address, to: self)
            return nil
        } catch {
            return error
        }
    }
}
