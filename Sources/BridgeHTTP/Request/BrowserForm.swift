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

    static let tokenField = "form_token"

    /// - Parameters:
    ///   - isOfSession: whether the form acts in the browser's session, and so in no other than when its page was shown.
    ///   - field: the name of its token.
    /// - Throws: `OAuthError(.unsupportedMediaType)`, `FormParameters.Failure`.
    static func read(
        _ request: Request, as purpose: FormTokens.Purpose, isOfSession: Bool, field: String = tokenField,
        formTokens: FormTokens, random: RandomSource
    ) async throws -> BrowserForm {
        let body = try await BodyReader.bytes(of: request)
        guard BodyReader.mediaType(of: request) == "application/x-www-form-urlencoded" else {
            throw OAuthError(.unsupportedMediaType)
        }
        let parameters = try FormParameters(parsing: body)
        let binding = request.formBinding
        let isOurs =
            if let binding, let token = parameters[field], !parameters.hasRepeated {
                formTokens.verify(
                    token, for: purpose, binding: binding, session: isOfSession ? request.sessionSecret : nil)
            } else {
                false
            }
        return BrowserForm(
            parameters: parameters, browser: binding ?? .make(.formBinding, random: random), isOurs: isOurs)
    }
}
