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
    let accounts: DemoAccounts
    let clients: [Client]

    func line() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let documents = try clients.map {
            String(decoding: try encoder.encode(ClientDocument($0)), as: UTF8.self)
        }
        var object = JSONObjectWriter()
        object.add("base_url", baseURL)
        object.add("management_url", managementURL)
        object.add("issuer", issuerURL)
        object.add("pid", Int64(processID))
        object.add("users", json: "[\(DemoPerson.all.map(accounts.json).joined(separator: ","))]")
        object.add("trusted_issuer", json: issuer.json)
        object.add("clients", json: "[\(documents.joined(separator: ","))]")
        return String(decoding: object.finish(), as: UTF8.self)
    }
}
