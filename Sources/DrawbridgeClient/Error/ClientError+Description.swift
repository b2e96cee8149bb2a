extension ClientError: CustomStringConvertible {
    /// For people: what happened, in one sentence without a final stop.
    public var description: String {
        switch self {
        case .configuration(let problem): "the settings cannot work: \(problem)"
        case .unreachable(let reason): "the provider does not answer: \(reason)"
        case .comeBackLater(let seconds?): "the provider asks to come back in \(seconds) s"
        case .comeBackLater(nil): "the provider asks to come back later"
        case .refused(let refusal): "the provider refused: \(refusal)"
        case .provider(let flaw): "the provider is not to be trusted: \(flaw)"
        case .answer(let flaw): "the browser's answer is not taken: \(flaw.rawValue)"
        case .idToken(let flaw): "the ID token is not believed: \(flaw.rawValue)"
        case .unexpectedAnswer(let what): "the provider's answer makes no sense: \(what)"
        case .notSignedIn: "nobody is signed in"
        case .secretStore(let problem): "the secret store does not work: \(problem)"
        case .signedOutHereOnly(let reason): "signed out on this device, but the provider was not told: \(reason)"
        case .cancelled: "the sign-in was cancelled"
        case .timedOut: "no answer came from the browser in time"
        }
    }
}

extension OAuthRefusal: CustomStringConvertible {
    /// The code, and what the provider says about it.
    public var description: String {
        var text = Self.printable(code)
        if let explanation, !explanation.isEmpty { text += " (\(Self.printable(explanation)))" }
        if let requestID { text += ", request \(Self.printable(requestID))" }
        return text
    }

    /// Without control characters: a terminal would obey them.
    private static func printable(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? "?" : Character($0) })
    }
}

extension ProviderFlaw: CustomStringConvertible {
    /// For people.
    public var description: String {
        switch self {
        case .otherIssuer: "its description names another issuer"
        case .endpoint(let name): "\(name) is missing or not https"
        case .noPKCE: "it does not know PKCE with S256"
        case .malformed(let document): "its \(document) cannot be read"
        }
    }
}
