/// Why nothing was sent: a name for programs, and words for people.
public struct PhoneRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where it went wrong.
    public enum Stage: Sendable {
        /// The link itself.
        case link
        /// Fetching or delivering: names, connections, certificates, limits.
        case network
        /// What the website asks.
        case request
        /// Keys, PIN and profile on this device.
        case store
    }

    /// What went wrong, by a name that stays.
    public enum Reason: String, Sendable, CaseIterable {
        case linkTooLong = "link_too_long"
        case linkMalformed = "link_malformed"
        case linkUnknown = "link_unknown"
        case parameterRepeated = "parameter_repeated"
        case parameterMissing = "parameter_missing"
        case requestURIInvalid = "request_uri_invalid"
        case requestByValueUnsupported = "request_by_value_unsupported"

        case hostUnknown = "host_unknown"
        case addressNotPublic = "address_not_public"
        case unreachable
        case certificateUntrusted = "certificate_untrusted"
        case timedOut = "timed_out"
        case redirected
        case statusUnexpected = "status_unexpected"
        case tooLarge = "too_large"

        case certificateNameMismatch = "certificate_name_mismatch"
        case requestMalformed = "request_malformed"
        case requestSignatureInvalid = "request_signature_invalid"
        case requestExpired = "request_expired"
        case parameterConflict = "parameter_conflict"
        case clientIDInvalid = "client_id_invalid"
        case returnURIMissing = "return_uri_missing"
        case returnURIInvalid = "return_uri_invalid"
        case returnURIForeign = "return_uri_foreign"
        case responseTypeUnsupported = "response_type_unsupported"
        case responseModeUnsupported = "response_mode_unsupported"
        case scopeInvalid = "scope_invalid"
        case nonceMissing = "nonce_missing"
        case nonceLength = "nonce_length"
        case stateTooLong = "state_too_long"
        case subjectTypeUnsupported = "subject_type_unsupported"
        case algorithmUnsupported = "alg_unsupported"
        case answerTooLong = "answer_too_long"

        case storeOpenToOthers = "store_open_to_others"
        case storeUnusable = "store_unusable"
        case pinNeeded = "pin_needed"
        case pinWrong = "pin_wrong"
        case profileUnusable = "profile_unusable"

        /// Where it belongs to.
        public var stage: Stage {
            switch self {
            case .linkTooLong, .linkMalformed, .linkUnknown, .parameterRepeated, .parameterMissing, .requestURIInvalid,
                .requestByValueUnsupported:
                .link
            case .hostUnknown, .addressNotPublic, .unreachable, .certificateUntrusted, .timedOut, .redirected,
                .statusUnexpected, .tooLarge:
                .network
            case .storeOpenToOthers, .storeUnusable, .pinNeeded, .pinWrong, .profileUnusable: .store
            default: .request
            }
        }
    }

    /// The name.
    public let reason: Reason
    /// What is wrong and, where something can be done, what.
    public let words: String

    /// - Parameter words: may repeat what the website said; ``description`` makes it fit to print.
    public init(_ reason: Reason, _ words: String) {
        self.reason = reason
        self.words = words
    }

    /// `nonce_missing: …`.
    public var description: String { "\(reason.rawValue): \(PlainText.line(words, limit: 600))" }
}
