import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// A form that came while a store was away.
struct FailedForm: Sendable {
    /// The page that it belongs to; `nil` where an address without its query does not bring it back.
    let page: String?
    /// Whether nobody knows what became of it. Otherwise the store has changed nothing; only of several steps the first may
    /// have been done.
    let mayBeDone: Bool

    init(page: String?, after error: any Error) {
        self.page = page
        mayBeDone = if case .unavailable? = error as? StorageError { false } else { true }
    }
}

/// The pages that say one thing.
extension Pages {
    /// One page for every reason a login token is refused: same text, same shape (contract §4.3).
    func refused(to visitor: PageVisitor) -> Response {
        render("refused", to: visitor, status: .init(code: ErrorCode.invalidRequest.status))
    }

    /// What there were too many of.
    enum Excess {
        /// Links of apps from a network: what was opened is opened once more from the app.
        case links
        /// Sign-ins from a network; whoever signs in without an app has none to open again.
        case signIns
        /// A user's own tries, wherever they came from.
        case ofUser
    }

    func limited(retryAfter wait: Duration, of excess: Excess, to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        let explanation =
            switch excess {
            case .links: texts.text("limited", "explanation", in: language, waiting: wait)
            case .signIns: texts.text("limited", "explanation_sign_in", in: language, waiting: wait)
            case .ofUser: texts.text("sign_in", "limited", in: language, waiting: wait)
            }
        var response = render(
            "limited", ["explanation": explanation], to: visitor, language: language,
            status: .init(code: ErrorCode.rateLimited.status))
        response.headers[.retryAfter] = String(wait.roundedUpSeconds)
        return response
    }

    /// Says so, or that a session is alive in the browser all the same.
    /// - Parameter isEverywhere: whether everything of the user ended, and not this browser's session alone.
    func signedOut(isEverywhere: Bool = false, to visitor: PageVisitor) -> Response {
        let everythingEnded = isEverywhere && visitor.home == nil
        return render(everythingEnded ? "signed_out_everywhere" : "signed_out", to: visitor)
    }

    /// Asks before everything of the user ends.
    /// - Parameter stay: where it leads to who stays signed in.
    func signOutEverywhere(
        formToken: String, action: String, stayingAt stay: String, to visitor: PageVisitor
    ) -> Response {
        render(
            "sign_out_everywhere", ["form_token": formToken, "action": action, "stay_path": stay], to: visitor)
    }

    /// - Parameters:
    ///   - stay: where it leads to who stays signed in; `nil` where nobody is.
    ///   - fields: what the form sends besides its token.
    ///   - leadsOut: whether its answer leads to a website or an app.
    func signOut(
        formToken: String, action: String, stayingAt stay: String?, fields: [HiddenField] = [],
        leadsOut: Bool = false, to visitor: PageVisitor
    ) -> Response {
        var values: [String: any Sendable] = [
            "form_token": formToken, "action": action, "fields": fields.map(\.values),
        ]
        values["stay_path"] = stay
        return render("sign_out", values, to: visitor, policy: leadsOut ? .leadingOut : .usual)
    }

    /// The page for an error that a person ran into.
    /// - Parameters:
    ///   - description: what a program would be told, for who writes that program.
    ///   - part: what is unavailable, where the error says that something is.
    ///   - form: what was sent to a page of ours that could not be done.
    func error(
        _ code: ErrorCode, describedAs description: String? = nil, of part: Unavailable = .page,
        for form: FailedForm? = nil, to visitor: PageVisitor
    ) -> Response {
        let status = HTTPResponse.Status(code: code.status)
        if code == .temporarilyUnavailable {
            var values: [String: any Sendable] = ["is_link": part == .link, "is_page": part == .page]
            for (way, isOffered) in Self.waysOn(past: part, byAddress: visitor.asksForPage) { values[way] = isOffered }
            if let form, part == .page {
                var told: [String: any Sendable] = ["may_be_done": form.mayBeDone]
                told["path"] = form.page
                values["form"] = told
                values["leads_to_sign_in"] = false
            }
            return render("unavailable", values, to: visitor, status: status)
        }
        let section =
            switch code {
            case .notFound: "not_found"
            case .serverError: "failed"
            default: "rejected"
            }
        let language = language(for: visitor)
        var values: [String: any Sendable] = [
            "title": texts.text(section, "title", in: language),
            "explanation": texts.text(section, "explanation", in: language),
        ]
        if section == "rejected" {
            values["code"] = code.rawValue
            values["description"] = description
        }
        return render("error", values, to: visitor, language: language, status: status)
    }

    /// What the page of something that is away leads to: the same address once more, with its query, for a link is as
    /// good as before; and the sign-in, which a form that was sent begins anew with.
    /// - Parameter isAddress: whether the page came for a `GET`.
    static func waysOn(past part: Unavailable, byAddress isAddress: Bool) -> [String: Bool] {
        ["can_try_again": isAddress, "leads_to_sign_in": !isAddress || part != .signIn]
    }

    /// A page for whoever has to sign in before everything of a user can end.
    /// - Parameters:
    ///   - url: the sign-in, with the way back.
    ///   - description: what a program would be told, for who writes that program.
    func signInToEndAll(
        _ code: ErrorCode, describedAs description: String, at url: String, to visitor: PageVisitor
    ) -> Response {
        let language = language(for: visitor)
        return render(
            "error",
            [
                "title": texts.text("hand_off", "sign_in_title", in: language),
                "explanation": texts.text("sign_out_everywhere", "sign_in", in: language), "code": code.rawValue,
                "description": description, "sign_in_url": url, "is_way_on": true,
            ], to: visitor, language: language, status: .init(code: code.status))
    }

    /// What an error code means and what to do: the page that `error_uri` leads to.
    /// - Parameter causes: the reasons of Native SSO that come with this code, as the audit log names them.
    func explanation(of code: ErrorCode, causes: [String], to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        let hasRemedy = texts["en"]["remedies"]?[code.rawValue] != nil
        let other = code.atTokenEndpoint
        let otherExplanation = texts.text("errors_at_token_endpoint", code.rawValue, in: language)
        return render(
            "error_code",
            [
                "code": code.rawValue, "status": String(code.status),
                "explanation": texts.text("errors", code.rawValue, in: language),
                "has_other_status": other != nil,
                "other_status": String((other ?? code).status), "other_explanation": otherExplanation,
                "remedy": texts.text("remedies", hasRemedy ? code.rawValue : "other", in: language),
                "has_causes": !causes.isEmpty,
                "causes": causes.map {
                    ["reason": $0, "cause": texts.text("native_sso_causes", $0, in: language)]
                },
            ], to: visitor, language: language)
    }

    /// What a refusal of a phone's answer means and what to do: the page that its `error_uri` leads to.
    func explanation(of reason: SelfIssuedRefusal.Reason, to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        return render(
            "error_code",
            [
                "code": reason.rawValue, "status": String(reason.code.status),
                "explanation": texts.text("self_issued_causes", reason.rawValue, in: language),
                "remedy": texts.text("error_help", "self_issued_remedy", in: language),
            ], to: visitor, language: language)
    }

    /// All of them, and after them why answers of phones are refused.
    func errorIndex(
        _ codes: [ErrorCode], _ reasons: [SelfIssuedRefusal.Reason], to visitor: PageVisitor
    ) -> Response {
        let language = language(for: visitor)
        let rows = codes.map { code in
            let statuses = [code, code.atTokenEndpoint].compactMap(\.self).map { String($0.status) }
            return [
                "code": code.rawValue, "status": statuses.joined(separator: ", "),
                "explanation": texts.text("errors", code.rawValue, in: language),
            ]
        }
        let causes = reasons.map { reason in
            [
                "code": reason.rawValue, "status": String(reason.code.status),
                "explanation": texts.text("self_issued_causes", reason.rawValue, in: language),
            ]
        }
        return render("error_index", ["codes": rows, "causes": causes], to: visitor, language: language)
    }
}

extension SelfIssuedRefusal.Reason {
    /// Reasons whose names are not error codes as well.
    static let ofTheirOwn = allCases.filter { reason in
        !ErrorCode.all.contains { $0.rawValue == reason.rawValue }
    }

    /// The error code whose status it has.
    var code: ErrorCode { self == .rateLimited ? .rateLimited : .invalidRequest }
}
