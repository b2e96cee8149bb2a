package import Bridge
import Crypto
import OAuth2

/// An administrator's request that was let in.
package struct AdminVisit: Sendable {
    /// What proved it.
    enum Proof: Sendable {
        /// An access token of this request.
        case token(Administrator)
        /// The console's own session, which an access token opened.
        case console(OpaqueSecret)
        /// The browser's session, which a sign-in here opened.
        case browser(OpaqueSecret)
    }

    package let actor: AdminActor
    /// When the person signed in; `nil` for a program, and where it is not known.
    let signedInAt: Timestamp?
    let proof: Proof

    init(actor: AdminActor, signedInAt: Timestamp?, proof: Proof) {
        self.actor = actor
        self.signedInAt = signedInAt
        self.proof = proof
    }

    /// What a form of the console must bring back; `nil` for a program, which no foreign page can send.
    var formToken: String? {
        switch proof {
        case .token: nil
        case .console(let secret), .browser(let secret): Self.formToken(for: secret)
        }
    }

    /// Whether the person signed in recently enough to change something for good. A program has no sign-in.
    func isFresh(at now: Timestamp) -> Bool {
        guard case .account = actor else { return true }
        return Authentication(time: signedInAt).isFresh(within: WebSession.signInFreshness, at: now)
    }

    /// The form token of a browser: a code over its cookie's secret, so that only a page that was sent to this browser
    /// knows it (contract §8). It lives as long as the session.
    static func formToken(for secret: OpaqueSecret) -> String {
        let key = SymmetricKey(data: Array(secret.expose().utf8))
        return Base64URL.encode(
            Array(HMAC<SHA256>.authenticationCode(for: Array("drawbridge console form".utf8), using: key)))
    }
}

/// What an administrator's request is for.
package enum AdminPurpose: Sendable {
    case read
    /// Goes on by itself for as long as a page is open: no use of the session that it comes with.
    case watch
    /// Sends something and changes nothing of anybody else's: a question, or the way out.
    case ask
    case change

    /// By the method: what may change something is taken to do so.
    init(_ method: String) { self = ["GET", "HEAD", "OPTIONS"].contains(method) ? .read : .change }

    /// Whether a browser must prove that a page of ours sends it.
    var takesFormToken: Bool { self == .ask || self == .change }
}
