/// How a client proves who it is (`token_endpoint_auth_method`, RFC 7591 §2).
package enum ClientAuthenticationMethod: String, Sendable, CaseIterable {
    /// A public client: it only says who it is.
    case none
    case clientSecretBasic = "client_secret_basic"
    case clientSecretPost = "client_secret_post"
    /// RFC 7523.
    case privateKeyJWT = "private_key_jwt"
}
