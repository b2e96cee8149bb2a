import Bridge
import Hummingbird
import OAuth2

/// A form of ours that came back: which browser sent it, whether it is really ours, and what it carries along.
struct BrowserForm: Sendable {
    let parameters: FormParameters
    /// The browser's binding; a new one when it has none.
    let browser: OpaqueSecret
    /// Made for this very browser in the last minutes; without it nothing is done (login CSRF: RFC 9700 §4.7).
    let isOurs: Bool
    /// Whether it is not ours only because the cookie that was set with its page is missing.
    let lacksCookie: Bool

    static let tokenField = "form_token"

    /// - Parameters:
    ///   - isOfSession: whether the form acts in the browser's session, and so in no other than when its page was shown.
    ///   - field: the name of its token.
    /// - Throws: `OAuthError(.unsupportedMediaType)`, `FormParameters.Failure`.
    static func read(
        _ request: Request, as purpose: FormTokens.Purpose, isOfSession: Bool, field: String = tokenField,
        formTokens: FormTokens, random: RandomSource
    ) async throws -> BrowserForm {
        // It may carry an application's whole request (docs/rules/authorization-request.md A9), escaped and sealed.
        let body = try await BodyReader.bytes(of: request, upTo: BodyReader.longest)
        guard BodyReader.isForm(request) else {
            throw OAuthError(.unsupportedMediaType)
        }
        let parameters = try FormParameters(parsing: body)
        return BrowserForm(
            parameters: parameters, browser: request.formBinding ?? .make(.formBinding, random: random),
            isOurs: request.isOurs(parameters, for: purpose, isOfSession: isOfSession, field: field, by: formTokens),
            lacksCookie: request.lacksCookie(of: parameters, field: field, by: formTokens))
    }
}

extension Request {
    /// Whether a form that came with this request is one of ours, which was shown to this very browser. None of ours
    /// has a field twice.
    /// - Parameters:
    ///   - isOfSession: whether it acts in the browser's session, as for ``BrowserForm/read``.
    ///   - field: the name of its token.
    func isOurs(
        _ form: FormParameters, for purpose: FormTokens.Purpose, isOfSession: Bool,
        field: String = BrowserForm.tokenField, by formTokens: FormTokens
    ) -> Bool {
        guard let binding = formBinding, let token = form[field], !form.hasRepeated else { return false }
        return formTokens.verify(token, for: purpose, binding: binding, session: isOfSession ? sessionSecret : nil)
    }

    /// Whether a form comes so soon after its page that the browser would still have the cookie of it, and does not: it
    /// keeps none from here. What a page says of its refusal goes by this, and nothing else.
    /// - Parameter field: the name of its token.
    func lacksCookie(
        of form: FormParameters, field: String = BrowserForm.tokenField, by formTokens: FormTokens
    ) -> Bool {
        formBinding == nil && form[field].map(formTokens.isRecent) ?? false
    }
}
