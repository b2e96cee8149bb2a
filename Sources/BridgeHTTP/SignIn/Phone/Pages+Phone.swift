import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// What the page of a phone's sign-in says above its field.
enum PhonePageNotice: String, PageNotice {
    case noDigits = "no_digits"
    case wrongDigits = "wrong_digits"
    case notYet = "not_yet"
    case stale

    /// The text's key in the section `phone`.
    var key: String { rawValue }
    var code: ErrorCode? { .invalidRequest }

    /// Whether what was typed is wrong, so that the field says so too.
    var isOfField: Bool {
        switch self {
        case .noDigits, .wrongDigits: true
        case .notYet, .stale: false
        }
    }
}

/// The content of `/signin/phone`.
struct PhonePage: Sendable {
    let content: PhoneSignInPage
    /// What the code holds.
    let link: String
    /// Ours, for people to compare.
    let host: String
    let notice: PhonePageNotice?
    let fields: [HiddenField]
    /// What the sign-in is for, to be carried along.
    let errand: SignInErrand
}

extension Pages {
    func phone(_ page: PhonePage, to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        let content = page.content
        let query = page.errand.query
        let further = query.isEmpty ? "" : "&\(query)"
        var values: [String: any Sendable] = [
            "tab": content.tab, "state": content.state.rawValue, "left": String(content.left),
            "fields": page.fields.map(\.values), "shown_code": content.shownCode, "link": page.link,
            "expected_host": texts.text("phone", "host", in: language, ["host": page.host]),
            "time_left": texts.text("phone", "left", in: language, ["seconds": String(content.left)]),
            "time_left_template": texts.text("phone", "left", in: language),
            "takes_digits": content.state.takesDigits, "is_open": content.state.isOpen,
            "again_url": PhoneSignInController.path + page.errand.querySuffix, "other_url": page.errand.url,
        ]
        for end in [PhoneSignInState.denied, .locked, .expired, .completed] {
            values["is_\(end.rawValue)"] = content.state == end
        }
        if content.state == .created {
            values["waits"] = true
            // What the page asks again for when no script runs; not while somebody types.
            values["refresh_url"] = "\(PhoneSignInController.path)?seen=\(content.state.rawValue)\(further)"
            if let drawing = QRCode(Array(page.link.utf8))?.drawing {
                values["qr"] = ["path": drawing.path, "side": String(drawing.side)]
            }
        }
        values["notice"] = text(of: page.notice, in: "phone", language)
        values["is_error"] = page.notice?.isOfField ?? false
        let policy = page.errand.destination.formPolicy
        guard content.state == .locked else {
            return render("phone", values, notice: page.notice, to: visitor, language: language, policy: policy)
        }
        // The third wrong try has no notice: the state says it.
        values["is_problem"] = true
        return render(
            "phone", values, to: visitor, language: language, status: .init(code: ErrorCode.invalidRequest.status),
            policy: policy)
    }

    /// What the link in the code leads to in a browser.
    func phoneHelp(isSameBrowser: Bool, to visitor: PageVisitor) -> Response {
        render("phone_help", ["is_same_browser": isSameBrowser], to: visitor)
    }

    /// - Parameter errand: what the sign-in is for, to be carried along.
    func signInCode(
        fields: [HiddenField], for errand: SignInErrand, username: String?, notice: SignInNotice?,
        to visitor: PageVisitor
    ) -> Response {
        let language = language(for: visitor)
        var values: [String: any Sendable] = [
            "fields": fields.map(\.values), "query_suffix": errand.querySuffix,
            "phone_url": PhoneSignInController.path + errand.querySuffix,
            "other_url": errand.url,
        ]
        values["username"] = username
        values["is_error"] = notice.map(\.isOfFields) ?? false
        // Who is refused here did not type a password; the rest is said as on the sign-in page.
        let isRefused = if case .refused = notice { true } else { false }
        values["notice"] = text(of: notice, in: isRefused ? "sign_in_code" : "sign_in", language)
        return render(
            "sign_in_code", values, notice: notice, to: visitor, language: language,
            policy: errand.destination.formPolicy)
    }
}
