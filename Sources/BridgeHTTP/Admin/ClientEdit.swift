import Bridge
import Foundation
import OAuth2

/// A document that somebody sent, as a client.
struct ClientEdit: Sendable {
    let client: Client
    /// Made for a client that needs one and has none; shown once.
    let secret: OpaqueSecret?

    init(client: Client, secret: OpaqueSecret?) {
        self.client = client
        self.secret = secret
    }

    /// - Parameter seen: the client as it was; its id stays, and its secret as long as it needs one.
    /// - Throws: `OAuthError(.invalidRequest)` naming the field.
    init(_ members: [String: JSONValue], of seen: Client?, random: RandomSource) throws {
        var members = members
        for name in ["client_secret", "client_secret_digest"] where members[name] != nil {
            throw OAuthError(.invalidRequest, "\(name) is made by the server")
        }
        if let seen {
            let id = JSONValue.string(seen.id.rawValue)
            guard [id, .null].contains(members["client_id"] ?? .null) else {
                throw OAuthError(.invalidRequest, "client_id cannot be changed")
            }
            members["client_id"] = id
        }
        // An empty field of a form, or `null`, is an absent one.
        members = members.filter { !$0.value.isNull }
        var client = try Self.client(members)
        client.secretDigest = client.usesSecret ? seen?.secretDigest : nil
        guard client.usesSecret, client.secretDigest == nil else {
            self.init(client: client, secret: nil)
            return
        }
        let secret = OpaqueSecret.make(.clientSecret, random: random)
        client.secretDigest = secret.digest
        self.init(client: client, secret: secret)
    }

    /// What the decoder would not say of a number. All of a client are whole, and `900.0` is not written as one, as at
    /// every other route.
    private static func flaw(of value: JSONValue) -> String? {
        guard value.isFinite else { return "holds a number that is too large" }
        guard case .number = value, value.integer == nil else { return nil }
        return "must be written as a whole number"
    }

    private static func client(_ members: [String: JSONValue]) throws -> Client {
        // The document's own errors show whatever name they meet.
        guard members.keys.allSatisfy(OAuthError.isPlain) else {
            throw OAuthError(.invalidRequest, "one of the names is not a field of a client")
        }
        do {
            let problems = members.sorted { $0.key < $1.key }.compactMap { name, value in
                Self.flaw(of: value).map { ClientDocumentError.Problem(field: name, text: $0) }
            }
            if let error = ClientDocumentError(problems) { throw error }
            let bytes = try JSONEncoder().encode(JSONValue.object(members))
            return try JSONDecoder().decode(ClientDocument.self, from: bytes).client
        } catch let problem as ClientDocumentError {
            let fields = problem.problems.map(\.field)
            let isRedirect = fields.allSatisfy { $0 == "redirect_uris" }
            let text = String(problem.description.prefix(300))
            throw OAuthError(isRedirect ? .invalidRedirectURI : .invalidRequest, text, fields: fields)
        } catch is DecodingError {
            throw OAuthError(.invalidRequest, "the document is malformed")
        }
    }
}

extension Client {
    /// Whether it authenticates by a secret.
    var usesSecret: Bool { [.clientSecretBasic, .clientSecretPost].contains(authenticationMethod) }
}
