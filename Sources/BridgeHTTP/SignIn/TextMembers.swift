import Hummingbird
import OAuth2

/// Reads bodies whose members are texts: none, JSON or a form, strictly.
enum TextMembers {
    /// - Parameter flags: which of `names` may be a boolean or a number as well as a text.
    /// - Returns: the members that are there and not empty, all as text.
    static func read(
        _ request: Request, knowing names: Set<String> = [], flags: Set<String> = []
    ) async throws -> [String: String] {
        try await StrictBody.read(
            request, json: { try fields(json: $0, names, flags) }, form: { try fields(form: $0, names) }) ?? [:]
    }

    private static func fields(
        json body: [UInt8], _ names: Set<String>, _ flags: Set<String>
    ) throws -> [String: String] {
        var fields: [String: String] = [:]
        for (name, value) in try StrictBody.members(ofJSON: body, knowing: names) {
            guard let text = value.string ?? (flags.contains(name) ? flagText(value) : nil) else {
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
