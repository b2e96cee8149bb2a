import Bridge
import Foundation
import OAuth2

/// What `--print-json` prints, on one line, when the demo is ready (contract §15).
struct DemoFacts: Sendable {
    let baseURL: String
    let managementURL: String
    let issuerURL: String
    let processID: Int32
    let issuer: DemoIssuer
    /// By subject; without those that somebody has changed.
    let passwords: [String: Secret<String>]
    let clients: [Client]
    let secrets: DemoClients
    /// Opens the admin API and the console.
    let adminToken: Secret<String>

    func line() throws -> String {
        let documents = try clients.map(document)
        let users = DemoPerson.all.map { $0.json(password: passwords[$0.subject]) }
        var object = JSONObjectWriter()
        object.add("base_url", baseURL)
        object.add("management_url", managementURL)
        object.add("issuer", issuerURL)
        object.add("pid", Int64(processID))
        object.add("admin_token", adminToken.expose())
        object.add("users", json: "[\(users.joined(separator: ","))]")
        object.add("trusted_issuer", json: issuer.json)
        object.add("clients", json: "[\(documents.joined(separator: ","))]")
        return object.finishedText()
    }

    /// A client's document with its secret, unless it has been given another.
    private func document(_ client: Client) throws -> String {
        let encoded = try JSONEncoder().encode(ClientDocument(client, showsSecretDigest: false))
        var members = JSONValue.parse(encoded)?.object ?? [:]
        if let secret = secrets.secret(of: client.id), secret.digest == client.secretDigest {
            members["client_secret"] = .string(secret.expose())
        }
        return JSONValue.object(members).text
    }
}
