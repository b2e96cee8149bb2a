/// Why a passkey was not taken: for the audit log. The page says one thing for all of them.
enum PasskeyRefusal: String, Error, CaseIterable {
    /// What came is not of the form that it has to have, or the key of a kind that is not taken.
    case malformed = "passkey_malformed"
    /// A passkey was made where one was to be used, or the other way round.
    case wrongCeremony = "passkey_wrong_ceremony"
    /// It answers another question than this browser was asked.
    case wrongChallenge = "passkey_wrong_challenge"
    /// The answer was given before.
    case challengeUsed = "passkey_challenge_used"
    /// Another page asked for it, or a page inside another.
    case foreignOrigin = "passkey_foreign_origin"
    /// It is a passkey of another host.
    case wrongRelyingParty = "passkey_wrong_relying_party"
    /// The authenticator was not touched.
    case userNotPresent = "passkey_user_not_present"
    /// The authenticator did not ask who touches it: without that it is one factor alone.
    case userNotVerified = "passkey_user_not_verified"
    /// No user here has it, or it was removed.
    case unknown = "passkey_unknown"
    /// The authenticator names another user than the passkey is kept for.
    case wrongUser = "passkey_wrong_user"
    case wrongSignature = "passkey_wrong_signature"
    /// The authenticator counts less than it did: there may be two of it (Web Authentication §6.1.1).
    case counterWentBack = "passkey_counter_went_back"
    /// The page that asked for it was open for too long, or another session's, or made before another passkey was added.
    case stale = "passkey_stale"
    /// Some user's already.
    case taken = "passkey_taken"
    /// The user has as many as one may have.
    case tooMany = "passkey_too_many"
    /// The session may not change how its user signs in (contract §16.2).
    case notSignedIn = "passkey_not_signed_in"
}
