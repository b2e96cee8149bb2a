import Bridge
import HTTPTypes
import OAuth2

/// A client's name and password in `Authorization: Basic`, form-encoded inside (RFC 6749 §2.3.1).
enum BasicCredentials {
    /// - Returns: `nil` when there is no such header.
    /// - Throws: `invalid_request` for one that cannot be read.
    static func read(_ headers: HTTPFields) throws(OAuthError) -> (id: String, secret: Secret<String>)? {
        let fields = headers[values: .authorization]
        guard fields.count <= 1 else { throw OAuthError(.invalidRequest, "Authorization is repeated") }
        guard let field = fields.first else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic" else { return nil }
        guard let bytes = Base64.decode(parts[1].drop { $0 == " " }),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let id = text(bytes[..<colon]), !id.isEmpty, let secret = text(bytes[(colon + 1)...])
        else { throw OAuthError(.invalidRequest, "Authorization: Basic is malformed", detail: "basic") }
        return (id, Secret(secret))
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let decoded = try? FormParameters.decoded(bytes) else { return nil }
        return String(validating: decoded, as: UTF8.self)
    }
}
