import Bridge
import OAuth2

/// Why the console did not do what a form asked for, as a sentence of the catalogue.
struct ConsoleProblem: Error, Hashable, Sendable {
    let key: String
    /// What its text names; `field` is the one of the form that is wrong.
    var values: [String: String] = [:]
    var code = ErrorCode.conflict

    static let reasonNeeded = Self(key: "reason_needed", values: ["field": "reason"], code: .invalidRequest)
    static let reasonLong = Self(key: "reason_long", values: ["field": "reason"], code: .invalidRequest)
    static let usernameNeeded = Self(
        key: "username_needed", values: ["field": "username"], code: .invalidRequest)
    static let usernameBad = Self(key: "username_bad", values: ["field": "username"], code: .invalidRequest)
    static let emailBad = Self(key: "email_bad", values: ["field": "email"], code: .invalidRequest)
    static let usernameKept = Self(key: "username_kept", values: ["field": "username"])
    static let usernameTaken = Self(key: "username_taken", values: ["field": "username"])
    static let noAccount = Self(key: "no_account")
    static let noPasswordAccount = Self(key: "no_password_account")
    static let noSecondFactor = Self(key: "no_second_factor")
    static let lastAdministrator = Self(key: "last_administrator")
    static let lastWayIn = Self(key: "last_way_in")
    static let clientExists = Self(key: "client_exists", values: ["field": "client_id"])
    static let clientChanged = Self(key: "client_changed", code: .preconditionFailed)
    static let clientNameNeeded = Self(
        key: "client_name_needed", values: ["field": "client_name"], code: .invalidRequest)
    static let userChanged = Self(key: "user_changed", code: .preconditionFailed)
    /// A form of a page that was shown before its administrator's last sign-in.
    static let pageOld = Self(key: "page_old", code: .forbidden)
    static let noJSON = Self(key: "no_json", code: .invalidRequest)

    static func lineLong(_ field: String) -> Self {
        Self(key: "line_long", values: ["field": field], code: .invalidRequest)
    }

    /// ``userChanged``, where it is known what somebody else has changed.
    static func nameChanged(_ field: String) -> Self {
        Self(key: userChanged.key, values: ["field": field], code: userChanged.code)
    }

    static func password(_ flaw: PasswordFlaw) -> Self {
        func problem(_ key: String, count: Int? = nil) -> Self {
            var values = ["field": "password"]
            values["count"] = count.map { String($0) }
            return Self(key: key, values: values)
        }
        return switch flaw {
        case .tooShort: problem("password_short", count: PasswordRules.minimumLength)
        case .tooLong: problem("password_long", count: PasswordRules.maximumBytes)
        case .common: problem("password_common")
        case .name, .same: problem("password_name")
        }
    }
}

/// What stood in the way of a form, for the page that says so.
enum ConsoleFault: Sendable {
    case problem(ConsoleProblem)
    /// What another part of the service refused, in its own words, which are those of the API.
    case refused(OAuthError)

    /// - Returns: `nil` for what is not a fault of the form.
    init?(_ error: any Error) {
        switch error {
        case let problem as ConsoleProblem: self = .problem(problem)
        case is FormParameters.Failure: self = .refused(ErrorTable.answer(to: error).error)
        case let error as OAuthError where error.code == .preconditionFailed: self = .problem(.clientChanged)
        case let error as OAuthError where [400, 409].contains(error.code.status): self = .refused(error)
        default: return nil
        }
    }

    var code: ErrorCode {
        switch self {
        case .problem(let problem): problem.code
        case .refused(let error): error.code
        }
    }

    /// For the template: `problem` in the reader's language, or `detail` in English.
    /// - Parameter isSaidThere: whether the page says at this field what is wrong with it (``problem(of:)``).
    func values(
        _ words: ConsoleWords, isSaidThere: (String) -> Bool = { _ in false }
    ) -> [String: any Sendable] {
        var values: [String: any Sendable] = ["has_fault": true]
        switch self {
        case .problem(let problem):
            values["problem"] = words("console_problems", problem.key, problem.values)
        case .refused(let error):
            if let problems = error.problems {
                values["detail"] = Self.sentence(of: problems.filter { !isSaidThere($0.field) })
            } else {
                values["detail"] = "\(error.publicDescription ?? ErrorTable.description(of: error.code))."
            }
        }
        return values
    }

    /// What is wrong with a field, in English; `nil` where nothing is, and where it is not known of each field apart.
    func problem(of field: String) -> String? {
        guard case .refused(let error) = self, let problems = error.problems else { return nil }
        return Self.sentence(of: problems.filter { $0.field == field })
    }

    private static func sentence(of problems: [OAuthError.Problem]) -> String? {
        problems.isEmpty ? nil : problems.map(\.text).joined(separator: "; ") + "."
    }

    /// Whether it is about a field.
    func names(_ field: String) -> Bool {
        switch self {
        case .problem(let problem): return problem.values["field"] == field
        case .refused(let error):
            guard let problems = error.problems else {
                // Its text has fixed words and names alone (ADR-0083). As a whole word: `post_logout_redirect_uris` is
                // not `redirect_uris`.
                let words = error.publicDescription?.split { !($0.isLetter || $0.isNumber || $0 == "_") }
                return words?.contains { $0 == field } ?? false
            }
            return problems.contains { $0.field == field }
        }
    }
}
