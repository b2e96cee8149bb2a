import Hummingbird
import OAuth2

/// Reads bodies whose members are texts: none, JSON or a form, strictly.
enum TextMembers {
    /// The one member that may be a boolean or a number as well as a text.
    private static let flag = "report"

    /// - Returns: the members that are there and not empty, all as text.
    static func read(_ request: Request, knowing names: Set<String> = []) async throws -> [String: String] {
        try await StrictBody.read(
            request, json: { try fields(json: $0, names) }, form: { try fields(form: $0, names) }) ?? [:]
    }

    /// - Returns: whether who says no raises an alarm too: in the body or in the query, once. An alarm that is not seen
    ///   or not understood must not pass for a plain no.
    static func readReport(_ request: Request) async throws -> Bool {
        let query = try request.query()
        let said = try await read(request, knowing: ["txn", flag])[flag]
        guard query.names.contains(flag) else { return try isReport(said) }
        guard said == nil, !query.isRepeated(flag) else {
            throw OAuthError(.invalidRequest, "report is repeated")
        }
        return try isReport(query[flag] ?? "")
    }

    private static func isReport(_ text: String?) throws(OAuthError) -> Bool {
        switch text {
        case "1", "true": return true
        case nil, "0", "false": return false
        default: throw OAuthError(.invalidRequest, "report must be 1, true, 0 or false")
        }
    }

    private static func fields(json body: [UInt8], _ names: Set<String>) throws -> [String: String] {
        var fields: [String: String] = [:]
        for (name, value) in try StrictBody.members(ofJSON: body, knowing: names) {
            guard let text = value.string ?? (name == flag ? flagText(value) : nil) else {
                throw OAuthError(.invalidRequest, "\(name) has the wrong type")
            }
            if !text.isEmpty { fields[name] = text }
        }
        return fields
    }

    private static func flagText(_ value: JSONValue) -> String? {
        value.wholeNumber.map(String.init) ?? value.bool.map { "\($0)" }
    }

    private static func fields(form body: [UInt8], _ names: Set<String>) throws -> [String: String] {
        var fields: [String: String] = [:]
        for (name, value) in try StrictBody.members(ofForm: body, knowing: names) {
            fields[name] = try StrictBody.text(value, of: name)
        }
        return fields
    }
}
