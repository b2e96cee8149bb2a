/// What can go wrong between an app and its provider. No case holds a secret.
public enum ClientError: Error, Sendable, Equatable {
    /// The app's settings cannot work; says what is wrong with them.
    case configuration(String)
    /// No answer came: no network, no such host, no trust in its certificate; or a proxy's, in place of a renewal's.
    case unreachable(String)
    /// The provider asks to come back later, after so many seconds when it says so; `requestID` is in its log.
    case comeBackLater(seconds: Int?, requestID: String? = nil)
    /// The provider said no, and why.
    case refused(OAuthRefusal)
    /// The provider describes itself in a way that must not be trusted.
    case provider(ProviderFlaw)
    /// What came back from the browser is not the answer to this sign-in.
    case answer(AnswerFlaw)
    /// The ID token must not be believed.
    case idToken(IDTokenFlaw)
    /// The answer is not one that this request can have; `requestID` is in the provider's log.
    case unexpectedAnswer(String, requestID: String? = nil)
    /// No person is signed in in this app, or the sign-in has ended.
    case notSignedIn
    /// The place for secrets does not work; says how.
    case secretStore(String)
    /// Signed out on this device, but the provider could not be told.
    case signedOutHereOnly(String)
    /// The person closed the browser or said no.
    case cancelled
    /// The browser's answer, or that of the person on another device, did not come in time.
    case timedOut
}

extension ClientError {
    /// To find the request in the provider's log; `nil` when no answer came that has one.
    public var requestID: String? {
        switch self {
        case .refused(let refusal): refusal.requestID
        case .comeBackLater(_, let requestID), .unexpectedAnswer(_, let requestID): requestID
        default: nil
        }
    }
}

extension ClientError: CustomStringConvertible {
    /// For people: what happened, in one sentence without a final stop.
    public var description: String {
        switch self {
        case .configuration(let problem): "the settings cannot work: \(problem)"
        case .unreachable(let reason): "the provider does not answer: \(reason)"
        case .comeBackLater(let seconds?, let id): "the provider asks to come back in \(seconds) s\(Self.naming(id))"
        case .comeBackLater(nil, let id): "the provider asks to come back later\(Self.naming(id))"
        case .refused(let refusal): "the provider refused: \(refusal)"
        case .provider(let flaw): "the provider is not to be trusted: \(flaw)"
        case .answer(let flaw): "the browser's answer is not taken: \(flaw.rawValue)"
        case .idToken(let flaw): "the ID token is not believed: \(flaw.rawValue)"
        case .unexpectedAnswer(let what, let id): "the provider's answer makes no sense: \(what)\(Self.naming(id))"
        case .notSignedIn: "nobody is signed in"
        case .secretStore(let problem): "the secret store does not work: \(problem)"
        case .signedOutHereOnly(let reason): "signed out on this device, but the provider was not told: \(reason)"
        case .cancelled: "the sign-in was cancelled"
        case .timedOut: "no answer came in time"
        }
    }

    fileprivate static func naming(_ requestID: String?) -> String {
        requestID.map { ", request \(OAuthRefusal.printable($0))" } ?? ""
    }
}

extension OAuthRefusal: CustomStringConvertible {
    /// The code, and what the provider says about it.
    public var description: String {
        var text = Self.printable(code)
        if let explanation, !explanation.isEmpty { text += " (\(Self.printable(explanation)))" }
        return text + ClientError.naming(requestID)
    }

    /// Without control characters: a terminal would obey them.
    fileprivate static func printable(_ text: String) -> String {
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

/// Why an authorization response is not taken.
public enum AnswerFlaw: String, Sendable, Equatable {
    /// It came to another address than the one that was asked for (RFC 8252 §8.10).
    case otherAddress = "it came to another address than the one asked for"
    /// It cannot be read, or says something twice.
    case malformed = "it cannot be read"
    /// `state` is missing or not the one that was sent (RFC 8252 §8.9).
    case foreignState = "it does not belong to this sign-in"
    /// `iss` is missing or names another provider (RFC 9207 §2.4).
    case otherIssuer = "it comes from another provider"
    /// It holds neither a code nor an error, or both.
    case noCode = "it has no code"
}

/// Why an ID token is not believed (OpenID Connect Core §3.1.3.7, Native SSO §3.4).
public enum IDTokenFlaw: String, Sendable, Equatable {
    /// The answer should have brought one.
    case missing = "there is none"
    /// It is not a JWT, or lacks a claim that every ID token has.
    case malformed = "it cannot be read"
    /// Signed in a way that this client does not take; `none` is among those.
    case algorithm = "it is not signed with ES256"
    /// The provider publishes no such key.
    case unknownKey = "its key is not among the provider's"
    /// The signature does not fit.
    case signature = "its signature does not fit"
    /// Another provider wrote it.
    case issuer = "it is of another provider"
    /// It is meant for another app.
    case audience = "it is meant for another app"
    /// It has expired.
    case expired = "it has expired"
    /// It is from the future: a clock is wrong.
    case issuedInFuture = "it is from the future"
    /// It belongs to another sign-in.
    case nonce = "its nonce is of another sign-in"
    /// It does not show that the person signed in as lately as `max_age` wants.
    case authenticationTime = "it does not show a sign-in as fresh as was asked for"
    /// It is about another person than before.
    case subject = "it is about somebody else"
    /// It came with another access token.
    case accessTokenHash = "it belongs to another access token"
    /// It belongs to another device secret.
    case deviceSecretHash = "it belongs to another device secret"
}

/// Why a provider's description of itself is not trusted.
public enum ProviderFlaw: Sendable, Equatable {
    /// The document names another issuer than the one that was asked (RFC 8414 §3.3).
    case otherIssuer
    /// An endpoint is missing, or its address is not secure; names it.
    case endpoint(String)
    /// It does not do PKCE with S256 (RFC 8252 §8.1).
    case noPKCE
    /// A document cannot be read; names it.
    case malformed(String)
}
