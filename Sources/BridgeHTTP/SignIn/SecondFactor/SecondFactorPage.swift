import Bridge
import OAuth2

/// The page's forms, as their field `what` names them.
enum SecondFactorForm: String, Sendable {
    case enrol, remove
    case recoveryCodes = "recovery-codes"
}

/// What the page about the second factor says above its fields.
enum SecondFactorNotice: PageNotice {
    /// Each form has a field of its own for it.
    case wrongCode(SecondFactorForm)
    case stale
    case conflict
    /// The form that set it up came again, and the recovery codes with it were shown.
    case shownBefore
    case removed
    case limited(Duration)

    /// Where a recovery code may have been typed as well, it says what to do about that.
    var section: String? {
        switch self {
        case .wrongCode(.remove), .wrongCode(.recoveryCodes): "code"
        default: nil
        }
    }

    /// The text's key in the section `second_factor`, or in ``section``.
    var key: String {
        switch self {
        case .wrongCode: section == nil ? "wrong_code" : "refused"
        case .stale: "stale"
        case .conflict: "conflict"
        case .shownBefore: "shown_before"
        case .removed: "removed"
        case .limited: "limited"
        }
    }

    /// What its text says to wait.
    var wait: Duration? { if case .limited(let wait) = self { wait } else { nil } }

    var code: ErrorCode? {
        switch self {
        case .removed: nil
        case .wrongCode, .stale: .invalidRequest
        case .conflict, .shownBefore: .conflict
        case .limited: .rateLimited
        }
    }

    var isProblem: Bool {
        // The factor is in force, as was asked for: the status says only that this form is not what set it up.
        if case .shownBefore = self { false } else { code != nil }
    }
}

/// The content of the page about the second factor.
struct SecondFactorPage: Sendable {
    enum Content: Sendable {
        /// Signs in elsewhere.
        case unavailable
        /// What to put into an authenticator app.
        case draft(sealed: String, typed: Secret<String>, uri: Secret<String>)
        case enrolled(recoveryCodesLeft: Int)
    }

    let content: Content
    let notice: SecondFactorNotice?
    let formToken: String
    /// Whether the visitor is on the way to the console.
    let isForConsole: Bool
}
