package import OAuth2

/// How a client introduced itself, as far as the request says.
package struct ClientCredentials: Sendable {
    /// `client_id`, from wherever it stood.
    package let clientID: String?
    package let proof: Proof

    /// How it authenticates: the methods of RFC 6749 §2.3.1 and RFC 7523 §2.2, before anything is checked.
    package enum Proof: Sendable {
        case none
        case basic(Secret<String>)
        /// An `Authorization: Basic` header that holds no user and password.
        case unreadable
        case post(Secret<String>)
        /// A JWT that the client signed (RFC 7523 §2.2).
        case assertion(Secret<String>)
    }

    /// In the place of user and password where the header's cannot be read. Whoever sends them did try to authenticate, and
    /// has failed (RFC 6749 §5.2). No client has this name.
    package static let unreadable: (id: String, secret: Secret<String>) = ("", Secret(""))

    /// - Parameter basic: user and password of the `Authorization: Basic` header, decoded; or ``unreadable``.
    /// - Throws: `invalid_request` for more than one way at once (RFC 6749 §2.3), or halves of one.
    package init(_ parameters: FormParameters, basic: (id: String, secret: Secret<String>)?) throws(OAuthError) {
        let secret = parameters["client_secret"]
        let assertion = parameters["client_assertion"]
        let ways = [basic != nil, secret != nil, assertion != nil].filter(\.self).count
        guard ways <= 1 else {
            throw OAuthError(.invalidRequest, "one way of client authentication at a time", detail: .severalProofs)
        }
        let named = parameters["client_id"]
        if let basic, basic.id == Self.unreadable.id {
            clientID = named
            proof = .unreadable
        } else if let basic {
            guard named == nil || named == basic.id else {
                throw OAuthError(
                    .invalidRequest, "client_id differs from the one in Authorization", detail: .otherClientID)
            }
            clientID = basic.id
            proof = .basic(basic.secret)
        } else if let assertion {
            guard parameters["client_assertion_type"] == Self.assertionType else {
                throw OAuthError(
                    .invalidRequest, "client_assertion_type is missing or not known", detail: .assertionType)
            }
            clientID = named ?? CompactJWS(assertion)?.claims?["sub"]?.string
            proof = .assertion(Secret(assertion))
        } else {
            clientID = named
            proof = secret.map { .post(Secret($0)) } ?? .none
        }
    }

    package static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
}

/// A client that was not believed.
package struct ClientRefused: Error, Sendable {
    package let error: OAuthError
}
