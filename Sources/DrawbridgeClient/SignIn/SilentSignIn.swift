/// What became of a sign-in without a person.
public enum SilentSignIn: Sendable, Equatable {
    /// The app is signed in.
    case signedIn(IDTokenClaims)
    /// Nothing is wrong: the person signs in through the browser this time.
    case needsSignIn(SilentFallback)
}

/// Why a person is needed.
public enum SilentFallback: Sendable, Equatable {
    /// No app of this device has left a sign-in to share.
    case nothingShared
    /// What was left does not belong together: `ds_hash` is of another secret.
    case partsDoNotFit
    /// The provider says no: the secret was revoked or has expired, this app may not, or consent is missing.
    case refused(OAuthRefusal)
    /// The provider's answer was not believed.
    case notBelieved(IDTokenFlaw)
    /// It did not work out this time: no network, a busy provider, a locked secret store.
    case failed(ClientError)
}
