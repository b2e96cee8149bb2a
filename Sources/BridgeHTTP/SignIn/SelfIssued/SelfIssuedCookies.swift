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
        append(browserName, browser.expose(), "Strict", lifetime.roundedUpSeconds, &headers)
    }

    static func setProof(_ sealed: String, in headers: inout HTTPFields) {
        // Must be there when the browser comes back from a sign-in elsewhere.
        append(proofName, sealed, "Lax", SelfIssuedSignIn.choiceLifetime.roundedUpSeconds, &headers)
    }

    /// Remembers that this browser's user has a phone with a key.
    static func setUsed(in headers: inout HTTPFields) {
        append(PageVisitor.phoneKeyCookie, "1", "Lax", 180 * 86_400, &headers)
    }

    static func clear(_ name: StaticString, in headers: inout HTTPFields) { append(name, "", "Strict", 0, &headers) }

    private static func append(
        _ name: StaticString, _ value: String, _ sameSite: String, _ age: Int, _ headers: inout HTTPFields
    ) {
        headers.append(
            HTTPField(
                name: .setCookie,
                value: "\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=\(sameSite); Max-Age=\(age)"))
    }
}

extension Request {
    /// The secret in the cookie of a sign-in by phone, when it has the form of one.
    var selfIssuedBrowser: OpaqueSecret? {
        cookie(SelfIssuedCookies.browserName).flatMap { OpaqueSecret($0, kind: .selfIssued) }
    }

    var selfIssuedProof: String? { cookie(SelfIssuedCookies.proofName) }
}
