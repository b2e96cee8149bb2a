/// What can go wrong between an app and its provider. No case holds a secret.
public enum ClientError: Error, Sendable, Equatable {
    /// The app's settings cannot work; says what is wrong with them.
    case configuration(String)
    /// No answer came: no network, no such host, no trust in its certificate.
    case unreachable(String)
    /// The provider asks to come back later, after so many seconds when it says so.
    case comeBackLater(seconds: Int?)
    /// The provider said no, and why.
    case refused(OAuthRefusal)
    /// The provider describes itself in a way that must not be trusted.
    case provider(ProviderFlaw)
    /// What came back from the browser is not the answer to this sign-in.
    case answer(AnswerFlaw)
    /// The ID token must not be believed.
    case idToken(IDTokenFlaw)
    /// The answer is none that this request can have.
    case unexpectedAnswer(String)
    /// Nobody is signed in in this app, or the sign-in has ended.
    case notSignedIn
    /// The place for secrets does not work; says how.
    case secretStore(String)
    /// Signed out on this device, but the provider could not be told.
    case signedOutHereOnly(String)
    /// The person closed the browser or said no.
    case cancelled
    /// The browser's answer did not come in time.
    case timedOut
}
