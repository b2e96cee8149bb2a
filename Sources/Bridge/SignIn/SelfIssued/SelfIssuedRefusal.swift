import OAuth2

/// An answer that leads nowhere.
package struct SelfIssuedRefusal: Error, Sendable {
    package let reason: Reason
    package var retryAfter: Duration?
    /// What of the answer was proven; for the log.
    var thumbprint: String?
    /// Whose key it is, or who wants it for theirs.
    var subject: Subject?
    /// The app in which a key was to be linked.
    var clientID: ClientID?
    /// The session, of an app or a browser, in which keys were to be changed.
    var sessionID: SessionID?
    /// The phone's own word for what went wrong, where it is one that is known.
    var phoneError: SelfIssuedPhoneError?

    init(
        _ reason: Reason, thumbprint: String? = nil, subject: Subject? = nil, phoneError: SelfIssuedPhoneError? = nil
    ) {
        self.reason = reason
        self.thumbprint = thumbprint
        self.subject = subject
        self.phoneError = phoneError
    }

    init(_ reason: Reason, retryAfter: Duration) {
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// Whether it is the person at the phone who said no.
    package var isDeclined: Bool { phoneError?.isDeclined == true }

    /// The reason in the log, which tells what a person declined from what failed; the phone is told neither.
    fileprivate var loggedReason: String {
        isDeclined ? RefusalReason.declinedOnPhone.rawValue : reason.rawValue
    }

    fileprivate var loggedDetail: String? {
        guard thumbprint != nil || phoneError != nil else { return nil }
        var detail = JSONObjectWriter()
        detail.add("error", phoneError?.rawValue)
        detail.add(LinkedKeys.thumbprintName, thumbprint)
        return detail.finishedText()
    }
}

extension RefusalLog {
    /// A phone's answer, or a change of keys, that was refused.
    func selfIssuedRefused(
        _ refusal: SelfIssuedRefusal, origin: RequestOrigin, at now: Timestamp
    ) async throws {
        try await record(
            AuditEvent(
                at: now, type: .selfIssuedRefused, outcome: .failure, reason: refusal.loggedReason,
                subject: refusal.subject, clientID: refusal.clientID, sessionID: refusal.sessionID, origin: origin,
                detail: refusal.loggedDetail),
            within: .network("audit.self_issued", of: origin, perMinute: 120))
    }
}

extension SelfIssuedRefusal {
    /// Why a self-issued answer is refused: the name goes to the phone, and into the audit log.
    package enum Reason: String, Error, Sendable, CaseIterable {
        // The answer itself, in the order of the checks (docs/self-issued.md).
        case malformed
        case algorithmNotAllowed = "alg_not_allowed"
        case notSelfIssued = "not_self_issued"
        /// An ID token where a proof of a key is wanted (``KeyProof``).
        case notKeyProof = "not_key_proof"
        /// A decentralised identifier, which is not taken.
        case subjectTypeNotSupported = "subject_type_not_supported"
        case keyInvalid = "key_invalid"
        case keyPrivate = "key_private"
        case subjectMismatch = "subject_mismatch"
        case signatureInvalid = "signature_invalid"
        case audienceMismatch = "aud_mismatch"
        case expired
        case issuedOutOfRange = "iat_out_of_range"
        case nonceMissing = "nonce_missing"
        case nonceMismatch = "nonce_mismatch"
        case accessTokenMismatch = "at_hash_mismatch"
        case userInfoSignatureInvalid = "userinfo_signature_invalid"
        case userInfoSubjectMismatch = "userinfo_subject_mismatch"
        /// The phone said no, or could not.
        case phoneError = "op_error"

        // What it is an answer to, and who it names.
        /// No transaction waits for it: unknown, too old, or answered before.
        case stateUnknown = "state_unknown"
        /// The answer came to another browser than the one that asked.
        case browserMismatch = "browser_mismatch"
        case replayed
        /// A key without an account, where only linked ones are taken.
        case subjectUnknown = "subject_unknown"
        /// A key that its user has unlinked: never taken again.
        case subjectRevoked = "subject_revoked"
        /// The key of another user than the one who wants to link it.
        case linkedElsewhere = "linked_elsewhere"
        /// Without the key that was to be unlinked nothing would be left to sign in with.
        case lastWayIn = "last_way_in"
        /// A page of another origin brought the answer.
        case foreignPage = "foreign_page"
        /// Who wanted to link it is not signed in any more.
        case notSignedIn = "not_signed_in"
        case userDisabled = "user_disabled"
        /// An answer from another device, where these are not taken.
        case crossDeviceOff = "cross_device_off"
        /// A key that is to be linked, though any app may have taken the link that was answered.
        case linkNotClaimed = "link_not_claimed"
        /// A user of an upstream provider wants to link a key.
        case upstreamUser = "upstream_user"
        /// A wrong code of the second factor, where a browser picks an answer up.
        case wrongCode = "wrong_code"
        case rateLimited = "rate_limited"

        /// What ``explanation`` says, for a proof of a key: it is not an answer, and not an ID token.
        package var explanationOfProof: String {
            switch self {
            case .malformed: "the proof is not one signed token in compact form with the claims that it needs"
            case .subjectMismatch: "the header's jwk is another key than sub_jwk"
            default: explanation
            }
        }

        /// One sentence for developers of a phone app.
        package var explanation: String {
            switch self {
            case .malformed: "the answer is not one ID token in compact form with the claims that it needs"
            case .algorithmNotAllowed: "alg must be RS256, ES256 or EdDSA, as the key's kind implies"
            case .notKeyProof: "a proof of a key has no iss, sub or user_id: an ID token is none"
            case .notSelfIssued: "iss is none of a self-issued ID token that is taken here"
            case .subjectTypeNotSupported: "the subject must be a JWK thumbprint"
            case .keyInvalid: "the key must be one bare public key: RSA of 2048 bits or more, P-256, or Ed25519"
            case .keyPrivate: "the key holds a private member; it must be considered leaked"
            case .subjectMismatch: "the subject is not the thumbprint of the key"
            case .signatureInvalid: "the signature is not the key's"
            case .audienceMismatch: "aud does not name this website"
            case .expired: "the token has expired"
            case .issuedOutOfRange: "iat or nbf is not of the last minutes"
            case .nonceMissing: "nonce is missing"
            case .nonceMismatch: "nonce is not the one that was sent"
            case .accessTokenMismatch: "at_hash is not that of the access token"
            case .userInfoSignatureInvalid: "the userinfo token is not signed with the same key"
            case .userInfoSubjectMismatch: "the userinfo token is of another subject"
            case .phoneError: "the phone answered with an error"
            case .stateUnknown: "nothing waits for this answer: it is too old, or was used"
            case .browserMismatch:
                "the answer came to another browser than the one that asked, or another tab's answer came first"
            case .replayed: "this token was used before"
            case .subjectUnknown: "this key belongs to no account here"
            case .subjectRevoked: "this key was unlinked and is not taken again"
            case .linkedElsewhere: "this key belongs to another account"
            case .lastWayIn: "without this key nothing would be left to sign in with"
            case .foreignPage: "an answer takes a page of the same origin"
            case .notSignedIn: "linking a key takes the session that asked for it"
            case .userDisabled: "this account may not sign in"
            case .crossDeviceOff: "answers from another device are not taken for this"
            case .linkNotClaimed: "any app may have taken this link; a key is linked by the claimed one"
            case .upstreamUser:
                "users of an upstream provider link no keys: an account that is closed there must not stay open here"
            case .wrongCode: "the code of the second factor is wrong"
            case .rateLimited: "too many requests; wait for the time in Retry-After"
            }
        }
    }
}
