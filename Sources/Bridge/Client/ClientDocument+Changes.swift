import Foundation
import OAuth2

extension ClientDocument {
    /// The names of the fields in which two states of a client differ, sorted; never a value. Another secret is
    /// `client_secret`.
    package static func fieldsChanged(from before: Client, to after: Client) throws -> [String] {
        let (old, new) = (try members(of: before), try members(of: after))
        return Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
            .map { $0 == Field.secretDigest.rawValue ? "client_secret" : $0 }
            .sorted()
    }

    private static func members(of client: Client) throws -> [String: JSONValue] {
        let document = Array(try JSONEncoder().encode(ClientDocument(client)))
        guard let members = JSONValue.parse(bytes: document)?.object else { throw OAuthError(.serverError) }
        return members
    }
}
