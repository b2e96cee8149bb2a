package import Bridge
import Crypto
import OAuth2

/// An administrator's request that was let in.
package struct AdminVisit: Sendable {
    package let actor: AdminActor
    /// What a form of the console must bring back; `nil` for a program, which no foreign page can send.
    let formToken: String?

    /// The form token of a browser: a code over its cookie's secret, so that only a page that was sent to this browser
    /// knows it (contract §8). It lives as long as the session.
    static func formToken(for secret: OpaqueSecret) -> String {
        let key = SymmetricKey(data: Array(secret.expose().utf8))
        return Base64URL.encode(
            Array(HMAC<SHA256>.authenticationCode(for: Array("drawbridge console form".utf8), using: key)))
    }
}
