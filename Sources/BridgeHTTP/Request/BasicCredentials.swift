import Bridge
import HTTPTypes
import OAuth2

/// A client's name and password in `Authorization: Basic`, form-encoded inside (RFC 6749 §2.3.1).
extension BasicCredentials {
    /// - Throws: `invalid_request` for more than one.
    static func read(_ headers: HTTPFields) throws(OAuthError) -> BasicCredentials {
        let fields = headers.values(of: .authorization)
        guard fields.count <= 1 else { throw OAuthError(.invalidRequest, "Authorization is repeated") }
        guard let field = fields.first.flatMap(AuthorizationField.init), field.scheme == "basic" else {
            return .absent
        }
        guard let bytes = Base64.decode(bytes: Array(field.credentials)[...]),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let id = text(bytes[..<colon]), !id.isEmpty, let secret = text(bytes[(colon + 1)...])
        else { return .unreadable }
        return .given(id: id, secret: Secret(secret))
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        // As it comes and as it is meant: an escape and a raw byte after it are no character.
        guard String(validating: bytes, as: UTF8.self) != nil, let decoded = try? FormParameters.decode(bytes) else {
            return nil
        }
        return String(validating: decoded, as: UTF8.self)
    }
}
