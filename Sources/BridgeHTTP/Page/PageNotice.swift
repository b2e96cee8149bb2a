import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// What a page says above its form, after something was tried there.
protocol PageNotice: Sendable {
    /// Its text's key.
    var key: String { get }
    /// The section of its text; `nil` for that of the page that shows it.
    var section: String? { get }
    /// What its text and `Retry-After` say to wait.
    var wait: Duration? { get }
    /// The error whose status the answer has; `nil` where nothing went wrong.
    var code: ErrorCode? { get }
    /// Whether it says that what was asked for is done; what is neither done nor wrong is a hint.
    var isDone: Bool { get }
    /// Whether it says that something is wrong. The status may be that of an error all the same.
    var isProblem: Bool { get }
}

extension PageNotice {
    var section: String? { nil }
    var wait: Duration? { nil }
    var isDone: Bool { code == nil }
    var isProblem: Bool { code != nil }
}

extension Pages {
    /// What every page says to a browser that keeps no cookies from here.
    static let noCookies = (section: "page", key: "no_cookies")

    /// A page with a notice, which decides the status and how it looks. Its text is among the values.
    func render(
        _ template: String, _ values: [String: any Sendable], notice: (any PageNotice)?, to visitor: PageVisitor,
        language: String, policy: ContentSecurityPolicy = .usual
    ) -> Response {
        var values = values
        values["is_problem"] = notice?.isProblem ?? false
        values["is_done"] = notice?.isDone ?? false
        let status = notice?.code.map { HTTPResponse.Status(code: $0.status) } ?? .ok
        var response = render(
            template, values, to: visitor, language: language, status: status, policy: policy)
        if let wait = notice?.wait { response.headers[.retryAfter] = String(wait.roundedUpSeconds) }
        return response
    }

    /// What a notice says, in words.
    func text(of notice: (any PageNotice)?, in section: String, _ language: String) -> String? {
        notice.map { texts.text($0.section ?? section, $0.key, in: language, waiting: $0.wait) }
    }
}
