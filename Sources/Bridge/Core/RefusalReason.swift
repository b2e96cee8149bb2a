package import OAuth2

/// Why a request was refused: the `reason` of the audit event, a stable word that people search for.
///
/// These are the reasons of checks without a family of their own; ``BearerRefusal`` is such a family. A word that was
/// once written keeps its meaning, because old events are read by it (docs/audit-format.md).
package enum RefusalReason: String, CaseIterable, Sendable {
    // Who wants something opened, and what.
    /// No client has this name.
    case unknownClient = "unknown_client"
    /// The client may not do this at all.
    case clientWithoutRight = "client_without_right"
    /// The session was itself handed over, so it hands nothing on.
    case chainedSession = "chained_session"
    /// What asked did not show that it is a page of ours.
    case foreignPage = "foreign_page"
    /// The value of a cookie that a website of another domain knows, where it would open the account.
    case keptElsewhere = "kept_elsewhere"
    /// The sign-in is too weak or too old for what it is to open.
    case authenticationTooWeak = "authentication_too_weak"
    /// The user is disabled.
    case subjectDisabled = "subject_disabled"
    /// The session behind the request is over.
    case sessionEnded = "session_ended"
    /// The user has as many devices as allowed, and none is to make room: the sign-in goes on without a device secret.
    case tooManyDevices = "too_many_devices"
    /// `client_id` names no website.
    case unknownTarget = "unknown_target"
    /// The website is not among those that the client may open.
    case targetNotReachable = "target_not_reachable"
    /// The client may open the website, but one whose sign-in its session came by through an exchange may not.
    case targetNotReachableAbove = "target_not_reachable_above"
    /// The website has no return paths.
    case targetWithoutPaths = "target_without_paths"
    /// An `Idempotency-Key` came again with another request.
    case idempotencyKeyReused = "idempotency_key_reused"
    /// A browser came back at once from where it was handed on to.
    case handOffStuck = "hand_off_stuck"
    /// A login token that was to be revoked had been redeemed.
    case alreadyRedeemed = "already_redeemed"
    /// A login token that came with a request does not count; its own event says why.
    case loginTokenRefused = "login_token_refused"

    // Who a client is.
    /// The `Authorization` header holds no user and password.
    case unreadableCredentials = "unreadable_credentials"
    /// No client is named.
    case missingClientID = "missing_client_id"
    /// The client's secret is another.
    case wrongSecret = "wrong_secret"
    /// A client that must authenticate did not.
    case missingProof = "missing_proof"
    /// It authenticated in another way than it is registered with.
    case wrongMethod = "wrong_method"
    /// The client's keys could not be fetched.
    case keysUnreachable = "keys_unreachable"
    /// It authenticated in several ways at once.
    case severalProofs = "several_proofs"
    /// `client_id` and the header name two clients.
    case otherClientID = "client_id"
    /// `client_assertion_type` is missing or not known.
    case assertionType = "assertion_type"
    /// A client without a secret, where one is needed.
    case publicClient = "public_client"

    // What is wrong with a request.
    /// A parameter occurs twice.
    case repeatedParameter = "repeated_parameter"
    /// Something that opens sessions came in the address.
    case secretInQuery = "secret_in_query"
    /// A request that is pushed ahead names another one.
    case pushedRequestURI = "request_uri"
    /// A request that is pushed ahead is longer than any is kept.
    case requestTooLong = "request_too_long"
    /// `grant_type` is missing.
    case missingGrantType = "missing_grant_type"
    /// `code` is missing.
    case missingCode = "missing_code"
    /// `code_verifier` is missing, where it is looked for before the code is.
    case missingCodeVerifier = "missing_code_verifier"
    /// `refresh_token` is missing.
    case missingRefreshToken = "missing_refresh_token"
    /// `device_code` is missing.
    case missingDeviceCode = "missing_device_code"
    /// `subject_token` is missing.
    case missingSubjectToken = "missing_subject_token"
    /// `subject_token_type` is missing.
    case missingSubjectTokenType = "missing_subject_token_type"
    /// `actor_token` is missing.
    case missingActorToken = "missing_actor_token"
    /// `actor_token_type` is missing.
    case missingActorTokenType = "missing_actor_token_type"
    /// A grant that is not offered, or not to this client.
    case grantType = "grant_type"
    /// A subject token of this type is not taken; the word is the parameter's name.
    case subjectTokenType = "subject_token_type"
    /// An exchange to a token of this type is not offered.
    case requestedTokenType = "requested_token_type"
    /// An actor token of this type is not taken.
    case actorTokenType = "actor_token_type"
    /// `scope` is malformed.
    case malformedScope = "malformed_scope"
    /// A device may have none of what was asked for.
    case scopeOfDevice = "scope"
    /// More was asked for than was granted, or than the client may have.
    case scopeWidened = "scope_widened"
    /// The client's document has lost everything that was granted or is asked for.
    case scopeTakenAway = "scope_taken_away"
    /// `resource` is another server.
    case wrongResource = "wrong_resource"
    /// `audience` is neither this server nor the website.
    case wrongAudience = "wrong_audience"
    /// The client of an authorization request asks for more than the sign-in was.
    case tooWeak = "too_weak"
    /// `dpop_jkt` names another key than the proof shows.
    case proofKeyMismatch = "dpop_jkt_mismatch"

    // What is wrong with what it presents.
    /// It was given to another client.
    case otherClient = "other_client"
    /// It is bound to a key that was not shown.
    case proofKey = "proof_key"
    /// An unknown authorization code, or unknown letters of a page.
    case unknownCode = "unknown_code"
    /// The authorization code is too old.
    case expiredCode = "expired_code"
    /// Redeemed before: one of the two is a thief.
    case codeReused = "code_reused"
    /// Another `redirect_uri` than the code was made for.
    case redirectURI = "redirect_uri"
    /// Neither it nor a verifier came with the code.
    case missingRedirectURI = "missing_redirect_uri"
    /// The verifier is missing or another.
    case codeVerifier = "code_verifier"
    /// A verifier, though the code was asked for without a challenge.
    case pkceDowngrade = "pkce_downgrade"
    /// Never given out, or forgotten.
    case unknownRefreshToken = "unknown_refresh_token"
    /// The refresh token is too old.
    case expiredRefreshToken = "expired_refresh_token"
    /// An app whose sign-in the session came by through an exchange is gone, or shares it no longer.
    case sharedNoLonger = "shared_no_longer"
    /// A refresh token that was replaced: one of the two is a thief.
    case reused
    /// An ID token, which cannot be revoked.
    case idToken = "id_token"
    /// A login token, which is revoked by its id.
    case loginToken = "login_token"
    /// The device secret is no user's, or another user's.
    case wrongDeviceSecret = "wrong_device_secret"

    // Devices that ask for a code at another screen.
    /// Never given out, or forgotten.
    case unknownDeviceCode = "unknown_device_code"
    /// The device code is too old.
    case expiredDeviceCode = "expired_device_code"
    /// Redeemed before: one of the two is a thief.
    case deviceCodeReused = "device_code_reused"
    /// The user said no.
    case denied
    /// The session is over in which the user said yes.
    case approvalEnded = "approval_ended"
    /// The device asks too often.
    case tooSoon = "too_soon"
    /// The user has not answered yet.
    case pending
    /// No device shows what was typed.
    case unknownUserCode = "unknown_user_code"

    // Phones that let a user in.
    /// Not an app that its user signed in to here.
    case noAppSession = "no_app_session"
    /// The access token is older than five minutes.
    case tokenTooOld = "token_too_old"
    /// The token has less than the app was granted.
    case narrowedScope = "narrowed_scope"
    /// The sign-in is older than five minutes.
    case authenticationTooOld = "authentication_too_old"
    /// The digits were wrong, once more may be tried.
    case wrongDigits = "wrong_digits"
    /// The digits were wrong for the last time.
    case locked
    /// It was used up before, whatever a store says now.
    case usedBefore = "used_before"
    /// The digits typed with a user name are wrong.
    case wrongCode = "wrong_code"
    /// Whoever is to type digits beside their user name has none.
    case noUserName = "no_user_name"
    /// Phone and computer are not in one network.
    case otherNetwork = "other_network"
    /// The user said no in the browser that had asked.
    case declinedInBrowser = "declined_in_browser"
    /// The user said no on the phone that was asked.
    case declinedOnPhone = "declined_on_phone"

    // The paths of the VA's service (contract §16.8).
    /// Not an app with Native SSO, or no challenge by S256.
    case nativeAppOrChallenge = "native_app_or_challenge"
    /// `operation` has no value that is known.
    case invalidOperation = "invalid_operation"
    /// `acr` has no value that is known.
    case invalidACR = "invalid_acr"
    /// `type` names no upstream provider.
    case invalidType = "invalid_type"

    // What explanations alone say (contract §13).
    /// Not letters that any page or device shows.
    case malformedUserCode = "malformed_user_code"
    /// Not the link of any page.
    case malformedLink = "malformed_link"
}

extension OAuthError {
    /// As the other initializer, with one of the reasons that the audit log knows.
    package init(
        _ code: ErrorCode, _ publicDescription: String? = nil, detail: RefusalReason, retryAfter: Int? = nil,
        challenge: String? = nil
    ) {
        self.init(code, publicDescription, detail: detail.rawValue, retryAfter: retryAfter, challenge: challenge)
    }
}
