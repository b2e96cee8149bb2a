import Foundation
import OAuth2

extension ClientDocument {
    /// The names of the fields in which two states of a client differ, sorted; never a value. Another secret is
    /// `client_secret`.
    package static func fieldsChanged(from before: Client, to after: Client) throws -> [String] {
        let (old, new) = (try members(of: before), try members(of: after))
        return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }.map(nameInEvents).sorted()
    }

    /// What a client is, for later comparisons that need not know it: digests of its fields, by the names of
    /// ``fieldsChanged(from:to:)``. Left out is what every client of its kind has that says nothing of it, so that a field
    /// that a later version knows changes no client.
    static func digests(of client: Client) throws -> [String: String] {
        let plain = try members(of: Client(id: client.id, name: client.id.rawValue, kind: client.kind))
        return try members(of: client).reduce(into: [:]) { digests, member in
            let (name, value) = member
            guard name == Field.clientType.rawValue || plain[name] != value else { return }
            digests[nameInEvents(name)] = SHA256Hash(of: value.text).base64URLOfHalf
        }
    }

    private static func nameInEvents(_ field: String) -> String {
        field == Field.secretDigest.rawValue ? "client_secret" : field
    }

    private static func members(of client: Client) throws -> [String: JSONValue] {
        let document = Array(try JSONEncoder().encode(ClientDocument(client)))
        guard let members = JSONValue.parse(bytes: document)?.object else { throw OAuthError(.serverError) }
        return members
    }
}
