import Bridge
import HTTPTypes
import Hummingbird
import NIOCore
import OAuth2

/// Errors in the words of the VA's service: `{"errors":"…"}`.
enum CompatibleError {
    /// What `error` has besides `errors`.
    enum Member {
        /// The code, as every other error here: for programs that know those.
        case code
        /// The words, where that service has them in `error`.
        case words
    }

    /// - Throws: what is not a refusal of the request, such as a store that cannot answer.
    static func answering(
        error member: Member = .code, _ body: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await body()
        } catch {
            let refusal = try refusal(in: error)
            return response(refusal.error, member, headers: refusal.headers, status: refusal.status)
        }
    }

    fileprivate typealias Refusal = (error: OAuthError, headers: HTTPFields, status: Int?)

    /// - Throws: the error itself, where it is not a refusal.
    fileprivate static func refusal(in error: any Error) throws -> Refusal {
        switch error {
        case let error as OAuthError: return (error, ErrorTable.answer(to: error).headers, nil)
        case let needed as SignInNeeded: return try refusal(in: needed.error)
        case is CallerGone: return try refusal(in: CallerGone.refusal)
        case let error as ChallengedError: return (error.error, error.headers, error.status)
        case is FormParameters.Failure:
            return (StrictBody.malformedForm, [:], nil)
        default: throw error
        }
    }

    private static func response(
        _ error: OAuthError, _ member: Member, headers: HTTPFields, status: Int?
    ) -> Response {
        var object = JSONObjectWriter()
        let words = text(of: error)
        object.add("errors", words)
        object.add("error", member == .words ? words : error.code.rawValue)
        var headers = headers
        headers[.contentType] = "application/json"
        headers[.cacheControl] = "no-store"
        if let retryAfter = error.retryAfter { headers[.retryAfter] = String(retryAfter) }
        return Response(
            status: .init(code: status ?? Self.status(of: error.code)), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: object.finish())))
    }

    private static func status(of code: ErrorCode) -> Int {
        switch code {
        case .invalidToken, .invalidClient: ErrorCode.invalidToken.status
        case .unauthorizedClient, .accessDenied: ErrorCode.invalidRequest.status
        default: code.status
        }
    }

    /// The service's own sentences for the steps of an exchange.
    static func text(of error: OAuthError) -> String {
        let reason = error.detail.flatMap { RefusalReason(rawValue: $0) }
        let sentence: String? =
            if let flaw = NativeSSORefusal(in: error) {
                self.sentence(on: flaw)
            } else {
                reason.flatMap { self.sentence(on: $0, told: error.code) }
            }
        return sentence ?? error.publicDescription ?? ErrorTable.description(of: error.code)
    }

    /// - Returns: `nil` where that service has no sentence of its own.
    private static func sentence(on reason: RefusalReason, told code: ErrorCode) -> String? {
        switch reason {
        case .subjectTokenType: "subject token type is invalid"
        case .actorTokenType: "actor token type is invalid"
        // On the way in, that service names parameters.
        case .unknownClient where code != .invalidRequest: "client configuration not found"
        default: blankParameter(reason).map { "\($0) can't be blank" }
        }
    }

    /// The parameter that is missing, as that service writes it; `nil` for every other reason.
    private static func blankParameter(_ reason: RefusalReason) -> String? {
        switch reason {
        case .missingClientID: "Client ID"
        case .missingGrantType: "Grant type"
        case .missingCode: "Code"
        case .missingCodeVerifier: "Code verifier"
        case .missingRefreshToken: "Refresh token"
        case .missingDeviceCode: "Device code"
        case .missingSubjectToken: "Subject token"
        case .missingSubjectTokenType: "Subject token type"
        case .missingActorToken: "Actor token"
        case .missingActorTokenType: "Actor token type"
        case .missingRedirectURI: "Redirect uri"
        default: nil
        }
    }

    /// - Returns: `nil` where that service has no sentence of its own.
    private static func sentence(on flaw: NativeSSORefusal) -> String? {
        switch flaw {
        case .subjectTokenInvalid, .subjectTokenWrongKey, .sessionEnded, .subjectDisabled: "subject token is invalid"
        case .secretUnknown, .secretExpired, .secretRevoked, .secretReplayed, .secretWrongKey, .hashMismatch,
            .subjectMismatch, .sessionElsewhere:
            "actor token is invalid"
        case .notShared, .crossClientOff: "tokens requested for client without shared sessions"
        case .clientNotEnabled, .disabled: "token exchange requested from invalid client"
        case .wrongAudience, .scopeWithoutOpenID, .scopeTooWide, .consentNeeded, .authenticationTooWeak: nil
        }
    }
}

extension NativeSSORefusal {
    /// The one that an error tells of. Its reason alone says little: other checks have some of the same words.
    fileprivate init?(in error: OAuthError) {
        guard let flaw = error.detail.flatMap(Self.init(rawValue:)), flaw.code == error.code,
            flaw.publicDescription == error.publicDescription
        else { return nil }
        self = flaw
    }
}

extension BrowserGroup {
    /// Answers compatibly where people come too: a page for them, with the words that a program is told.
    func answeringCompatibly(
        _ request: Request, _ context: BridgeRequestContext, error member: CompatibleError.Member = .code,
        _ body: () async throws -> Response
    ) async throws -> Response {
        guard request.acceptsPage else { return try await CompatibleError.answering(error: member, body) }
        do {
            return try await body()
        } catch {
            let refusal = try CompatibleError.refusal(in: error)
            let visitor = pageVisitor(request, context)
            let words = CompatibleError.text(of: refusal.error)
            var response =
                error is SignInNeeded
                ? pages.signInToEndAll(
                    refusal.error.code, describedAs: words,
                    at: "\(issuer)\(SignInController.path(backTo: AccountPath.signOutEverywhere))", to: visitor)
                : pages.error(refusal.error.code, describedAs: words, to: visitor)
            response.headers.append(contentsOf: refusal.headers)
            return response
        }
    }
}
