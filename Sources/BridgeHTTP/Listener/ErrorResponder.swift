import Bridge
import HTTPTypes
import Hummingbird
import Logging
import OAuth2

/// The one place that turns an error into an answer (contract §11).
struct ErrorResponder: Sendable {
    /// Where its codes are explained.
    let issuer: WebOrigin
    let pages: Pages
    /// Says itself what is not there.
    let console: ConsoleFrame
    let shapes: ErrorShapes

    func response(to error: any Error, request: Request, context: BridgeRequestContext) async -> Response {
        let answer = ErrorTable.answer(to: error)
        if answer.error.code == .serverError {
            // Not its text, which may quote what it failed on.
            var details: Logger.Metadata = ["error.type": "\(type(of: error))"]
            if let cause = (error as? StorageError)?.cause.words { details["cause"] = "\(cause)" }
            context.logger.error("request failed", metadata: details)
        }
        let shape = shapes.shape(for: request, route: context.endpointPath)
        if answer.error.code == .methodNotAllowed, request.acceptsPage, let page = console.pageAbove(request) {
            return page
        }
        var response =
            switch shape {
            case .nothing: Response(status: .init(code: answer.status))
            case .page: await page(of: answer.error, from: error, request, context)
            case .json, .token, .negotiated: json(answer, requestID: context.requestID)
            }
        for field in answer.headers { response.headers[values: field.name] = [] }
        // One by one: cookies that are taken back share a name.
        for field in answer.headers { response.headers.append(field) }
        response.headers[.cacheControl] = "no-store"
        // Here once for every error of these endpoints, a refused client's and the router's among them.
        if shape == .token { response.headers[.pragma] = "no-cache" }
        return response
    }

    private func page(
        of error: OAuthError, from cause: any Error, _ request: Request, _ context: BridgeRequestContext
    ) async -> Response {
        let code = error.code
        if code == .notFound, let page = await console.missingPage(request, context) { return page }
        var visitor = PageVisitor(request, context)
        // Where a store is away, nothing more is asked of it.
        if code != .temporarilyUnavailable { visitor = await console.kit.atHome(visitor, request) }
        if code == .rateLimited, let wait = error.retryAfter {
            return pages.limited(retryAfter: .seconds(wait), of: .ofUser, to: visitor)
        }
        let form = console.failedForm(request, after: cause)
        return pages.error(code, of: shapes.unavailable(at: context.endpointPath), for: form, to: visitor)
    }

    private func json(_ answer: ErrorTable.Answer, requestID: String) -> Response {
        .json(
            Self.body(answer.error, issuer: issuer, requestID: requestID),
            status: .init(code: answer.status))
    }

    /// What programs read (contract §11).
    static func body(_ error: OAuthError, issuer: WebOrigin, requestID: String) -> JSONObjectWriter {
        var body = JSONObjectWriter()
        body.add("error", error.code.rawValue)
        body.add("error_description", error.publicDescription ?? ErrorTable.description(of: error.code))
        body.add("error_uri", "\(issuer)/errors/\(error.code.rawValue)")
        body.add("request_id", requestID)
        return body
    }
}
