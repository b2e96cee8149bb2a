import Bridge
import Hummingbird
import OAuth2

/// The parameters of a request to the compatibility paths: query, form or JSON, as that service takes them, but for
/// secrets (``SecretInAddress``).
enum CompatibleParameters {
    /// - Throws: `OAuthError(.invalidRequest)`, with `secret_in_query` as detail for a secret in the address.
    static func read(
        _ request: Request, refusingSecretsBy tokens: TokenEndpoint, origin: RequestOrigin
    ) async throws -> FormParameters {
        let query = try await tokens.recordingUnreadable(origin: origin) { try request.query() }
        try await tokens.refuseSecrets(in: query, origin: origin)
        let body = try await BodyReader.bytes(of: request, upTo: TokenController.bodyLimit)
        return try await tokens.recordingUnreadable(origin: origin) { try parameters(request, body: body) }
    }

    private static func parameters(_ request: Request, body: [UInt8]) throws -> FormParameters {
        var text = Array((request.uri.query ?? "").utf8)
        switch BodyReader.mediaType(of: request) {
        case "application/x-www-form-urlencoded"?: text += [UInt8(ascii: "&")] + body
        case "application/json"? where !body.isEmpty:
            let object = try OAuthError.object(inBody: body)
            let strings = object.compactMap { name, value in value.string.map { (name, $0) } }
            text += [UInt8(ascii: "&")] + encoded(strings)
        default: break
        }
        let parameters = try FormParameters(parsing: text)
        try parameters.checkUnique(detail: RefusalReason.repeatedParameter.rawValue)
        try parameters.checkText()
        return parameters
    }

    /// The parameters with some more, such as those that the other service's apps leave out.
    static func adding(_ pairs: [(String, String)], to parameters: FormParameters) throws -> FormParameters {
        let old = parameters.names.compactMap { name in parameters[name].map { (name, $0) } }
        let names = Set(pairs.map(\.0))
        return try FormParameters(parsing: encoded(old.filter { !names.contains($0.0) } + pairs))
    }

    private static func encoded(_ pairs: [(String, String)]) -> [UInt8] {
        Array(
            pairs.map { "\(PercentEncoding.encode($0.0))=\(PercentEncoding.encode($0.1))" }.joined(separator: "&").utf8)
    }
}
