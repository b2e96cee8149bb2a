import Bridge
import HTTPTypes
import Hummingbird

/// The cookies of a sign-in by phone (contract §10).
enum SelfIssuedCookies {
    /// Ties the sign-in to the browser that began it. `Strict` is enough: only our own page's request needs it.
    static let browserName: StaticString = "__Host-siop_tx"
    /// That its phone holds a key which is nobody's, while its user chooses.
    static let proofName: StaticString = "__Host-siop_proof"

    static func set(_ browser: OpaqueSecret, lifetime: Duration, in headers: inout HTTPFields) {
        headers.setCookie(browserName, browser.expose(), for: lifetime, sameSite: .strict)
    }

    static func setProof(_ sealed: String, in headers: inout HTTPFields) {
        // Must be there when the browser comes back from a sign-in elsewhere.
        headers.setCookie(proofName, sealed, for: SelfIssuedSignIn.choiceLifetime)
    }

    /// Remembers that this browser's user has a phone with a key.
    static func setUsed(in headers: inout HTTPFields) {
        headers.setCookie(PageVisitor.phoneKeyCookie, "1", for: .seconds(180 * 86_400))
    }

    static func clear(_ name: StaticString, in headers: inout HTTPFields) {
        headers.clearCookie(name, sameSite: .strict)
    }
}

extension Request {
    /// The secret in the cookie of a sign-in by phone, when it has the form of one.
    var selfIssuedBrowser: OpaqueSecret? {
        cookie(SelfIssuedCookies.browserName).flatMap { OpaqueSecret($0, kind: .selfIssued) }
    }

    var selfIssuedProof: String? { cookie(SelfIssuedCookies.proofName) }
}
