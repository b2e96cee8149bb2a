package import OAuth2

/// How a client introduced itself, as far as the request says.
package struct ClientCredentials: Sendable {
    /// `client_id`, from wherever it was.
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

    /// - Parameter basic: what the `Authorization: Basic` header holds.
    /// - Throws: `invalid_request` for more than one way at once (RFC 6749 §2.3), or halves of one.
    package init(_ parameters: FormParameters, basic: BasicCredentials) throws(OAuthError) {
        let secret = parameters["client_secret"]
        let assertion = parameters["client_assertion"]
        let ways = [basic.isPresent, secret != nil, assertion != nil].filter(\.self).count
        guard ways <= 1 else {
            throw OAuthError(.invalidRequest, "one way of client authentication at a time", detail: .severalProofs)
        }
        let named = parameters["client_id"]
        switch basic {
        case .unreadable:
            clientID = named
            proof = .unreadable
        case .given(let id, let password):
            guard named == nil || named == id else {
                throw OAuthError(
                    .invalidRequest, "client_id differs from the one in Authorization", detail: .otherClientID)
            }
            clientID = id
            proof = .basic(password)
        case .absent:
            guard let assertion else {
                clientID = named
                proof = secret.map { .post(Secret($0)) } ?? .none
                return
            }
            guard parameters["client_assertion_type"] == Self.assertionType else {
                throw OAuthError(
                    .invalidRequest, "client_assertion_type is missing or not known", detail: .assertionType)
            }
            clientID = named ?? CompactJWS(assertion)?.claims?["sub"]?.string
            proof = .assertion(Secret(assertion))
        }
    }

    package static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
}

/// What the `Authorization: Basic` header of a request holds (RFC 6749 §2.3.1).
package enum BasicCredentials: Sendable {
    /// There is no such header.
    case absent
    /// It holds no user and password. Its sender did try to authenticate, and has failed (RFC 6749 §5.2).
    case unreadable
    /// User and password, decoded.
    case given(id: String, secret: Secret<String>)

    var isPresent: Bool {
        if case .absent = self { false } else { true }
    }
}

/// A client that was not believed.
package struct ClientRefused: Error, Sendable {
    package let error: OAuthError
}
