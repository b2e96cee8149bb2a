import Bridge
import HTTPTypes
import OAuth2

/// What a browser brings back after a redemption that could not be confirmed (contract §4.3).
enum RetryCookie {
    static let name: StaticString = "__Host-drawbridge_retry"

    /// Lets the browser try again where a redemption could not be confirmed.
    static func telling<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        do { return try await body() } catch let undecided as UndecidedRedemption { throw error(for: undecided) }
    }

    /// 503, to be tried again, with the cookie.
    private static func error(for undecided: UndecidedRedemption) -> ChallengedError {
        var headers: HTTPFields = [.retryAfter: String(ErrorTable.storageRetryAfter)]
        headers.setCookie(name, undecided.retry.expose(), for: UndecidedRedemption.retryLifetime)
        return ChallengedError(error: OAuthError(.temporarilyUnavailable), headers: headers)
    }
}
