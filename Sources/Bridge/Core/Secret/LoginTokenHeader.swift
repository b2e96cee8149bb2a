import OAuth2

/// The JOSE header of a login token (RFC 7515 §4).
struct LoginTokenHeader {
    /// `typ` of every login token.
    static let tokenType = "login+jwt"

    let algorithm: String
    let type: String
    let keyID: String

    /// The header of our own tokens, base64url.
    static func encoded(keyID: String) -> String {
        Base64URL.encode(Array(#"{"alg":"HS256","typ":"\#(tokenType)","kid":\#(JSONText.quoted(keyID))}"#.utf8))
    }

    /// - Returns: `nil` unless `alg`, `typ` and `kid` are there, and for any critical extension.
    init?(_ bytes: [UInt8]) {
        guard let members = JSONValue.parse(bytes: bytes, depth: 4)?.object, members["crit"] == nil,
            let algorithm = members["alg"]?.string, let type = members["typ"]?.string,
            let keyID = members["kid"]?.string
        else { return nil }
        self.algorithm = algorithm
        self.type = type
        self.keyID = keyID
    }
}
