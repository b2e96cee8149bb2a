import Hummingbird
import OAuth2

/// What bodies that are read strictly have in common: each member is a known one, or the body is refused.
enum StrictBody {
    /// What a body of one of these two types holds.
    /// - Returns: `nil` where there is no body.
    static func read<Fields>(
        _ request: Request, json: ([UInt8]) throws -> Fields, form: ([UInt8]) throws -> Fields
    ) async throws -> Fields? {
        let body = try await BodyReader.bytes(of: request)
        // Libraries and browsers name a type where there is nothing to send, too.
        guard !body.isEmpty else { return nil }
        switch BodyReader.mediaType(of: request) {
        case "application/json": return try json(body)
        case "application/x-www-form-urlencoded": return try form(body)
        default: throw OAuthError(.unsupportedMediaType)
        }
    }

    /// The members of a JSON body by their names' order, without those that are null. A dictionary has another order in
    /// each process, and of several faults the same one is to be told each time.
    /// - Throws: `invalid_request` for what is no object, and for the first member that is not among `names`.
    static func members(
        ofJSON body: [UInt8], knowing names: some Collection<String>
    ) throws(OAuthError) -> [(name: String, value: JSONValue)] {
        let members = try OAuthError.object(inBody: body).sorted { $0.key < $1.key }
        if let unknown = members.first(where: { !names.contains($0.key) }) {
            throw Self.unknown(unknown.key, names)
        }
        return members.filter { !$0.value.isNull }.map { (name: $0.key, value: $0.value) }
    }

    /// The members of a form body in their order, without those that are empty.
    /// - Throws: `invalid_request` for what is no form, and for the first member that is not among `names`, or that is
    ///   there twice.
    static func members(
        ofForm body: [UInt8], knowing names: some Collection<String>
    ) throws(OAuthError) -> [(name: String, value: [UInt8])] {
        guard let form = try? FormParameters(bytes: body) else { throw malformedForm }
        let found = form.names
        if let unknown = found.first(where: { !names.contains($0) }) { throw Self.unknown(unknown, names) }
        if let name = found.first(where: { form.isRepeated($0) }) {
            throw OAuthError(.invalidRequest, "\(name) is repeated")
        }
        // Names that are not text are missing from `names`, so a form that holds one counts more parameters than that.
        guard found.count == form.count else { throw Self.unknown("", names) }
        return found.compactMap { name in form.bytes(name).map { (name: name, value: $0) } }
    }

    /// The text of a form's member.
    static func text(_ value: [UInt8], of name: String) throws(OAuthError) -> String {
        guard let text = String(validating: value, as: UTF8.self) else {
            throw OAuthError(.invalidRequest, "\(name) is not UTF-8")
        }
        return text
    }

    private static func unknown(_ name: String, _ known: some Collection<String>) -> OAuthError {
        .unknown(name, as: "member of this body", known: known)
    }

    /// The answer to parameters with an escape that is none, or to too many.
    static let malformedForm = OAuthError(.invalidRequest, "the parameters are not form-url-encoded")
}
