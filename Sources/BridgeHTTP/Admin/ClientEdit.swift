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

    /// - Parameters:
    ///   - seen: the client as it was; its id stays, and its secret as long as it needs one. `nil` for a new client,
    ///     which is given an id where the document has none.
    ///   - lacksName: whether the lack of a name is to be told beside whatever else is wrong.
    /// - Throws: `OAuthError(.invalidRequest)` naming the field.
    init(
        _ members: [String: JSONValue], of seen: Client?, lacksName: Bool = false, random: RandomSource
    ) throws {
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
        } else if members["client_id"]?.isNull ?? true {
            members["client_id"] = .string("c-\(random.text(12))")
        }
        // An empty field of a form, or `null`, is an absent one.
        members = members.filter { !$0.value.isNull }
        var client = try Self.client(members, lacksName: lacksName)
        client.secretDigest = client.usesSecret ? seen?.secretDigest : nil
        guard client.usesSecret, client.secretDigest == nil else {
            self.init(client: client, secret: nil)
            return
        }
        let secret = OpaqueSecret.make(.clientSecret, random: random)
        client.secretDigest = secret.digest
        self.init(client: client, secret: secret)
    }

    /// Another secret, in place of one that was lost or has leaked.
    init(renewingSecretOf seen: Client, random: RandomSource) throws {
        guard seen.usesSecret else { throw OAuthError(.conflict, "this client has no secret") }
        let secret = OpaqueSecret.make(.clientSecret, random: random)
        var client = seen
        client.secretDigest = secret.digest
        self.init(client: client, secret: secret)
    }

    /// What the decoder would not say of a number. All of a client are whole; `900.0` is one, as at every other route.
    private static func flaw(of value: JSONValue) -> String? {
        guard value.isFinite else { return "holds a number that is too large" }
        guard case .number = value, value.wholeNumber == nil else { return nil }
        return "must be written as a whole number"
    }

    private static func client(_ members: [String: JSONValue], lacksName: Bool) throws -> Client {
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
        } catch let error as ClientDocumentError {
            let nameless = OAuthError.Problem(field: "client_name", text: "client_name must be given, or client_id")
            let isRedirect = !lacksName && error.problems.allSatisfy { $0.field == "redirect_uris" }
            let problems =
                (lacksName ? [nameless] : [])
                + error.problems.map { OAuthError.Problem(field: $0.field, text: cut($0.description)) }
            let text = summary(of: problems)
            throw OAuthError(isRedirect ? .invalidRedirectURI : .invalidRequest, text, problems: problems)
        } catch is DecodingError {
            throw OAuthError(.invalidRequest, "the document is malformed")
        }
    }

    /// Characters of a text that may quote what was sent (ADR-0083).
    private static let room = 300

    private static func cut(_ text: String) -> String {
        text.count > room ? "\(text.prefix(room - 3))..." : text
    }

    /// As many problems as there is room for, and how many more there are; at least one.
    private static func summary(of problems: [OAuthError.Problem]) -> String {
        var text = problems.first?.text ?? ""
        for (told, problem) in problems.enumerated().dropFirst() {
            let longer = "\(text); \(problem.text)"
            guard longer.count <= room else { return "\(text); and \(problems.count - told) more" }
            text = longer
        }
        return text
    }
}

extension Client {
    /// Whether it authenticates by a secret.
    var usesSecret: Bool { [.clientSecretBasic, .clientSecretPost].contains(authenticationMethod) }
}
