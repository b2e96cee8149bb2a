/// What the provider says about itself (OpenID Connect Discovery, RFC 8414).
struct ProviderMetadata: Sendable, Equatable {
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let keySetAddress: String
    let userInfoEndpoint: String?
    let revocationEndpoint: String?
    let deviceAuthorizationEndpoint: String?
    /// Whether every authorization response names its issuer (RFC 9207 §3); one without is then refused.
    let namesIssuerInAnswers: Bool

    static func address(of issuer: IssuerAddress) -> String { "\(issuer.text)/.well-known/openid-configuration" }

    /// Believes the document only where it may be believed.
    init(_ document: Document, of issuer: IssuerAddress) throws(ClientError) {
        // Byte for byte: a document of another issuer would carry the whole sign-in elsewhere (RFC 8414 §6.2).
        guard document.issuer == issuer.text else { throw .provider(.otherIssuer) }
        guard document.codeChallengeMethods?.contains("S256") == true else { throw .provider(.noPKCE) }
        func secure(_ name: String, _ value: String?) throws(ClientError) -> String? {
            guard let value else { return nil }
            guard let address = SecureAddress(value), !address.isLoopbackHTTP || issuer.isLoopback else {
                throw .provider(.endpoint(name))
            }
            return value
        }
        func required(_ name: String, _ value: String?) throws(ClientError) -> String {
            guard let address = try secure(name, value) else { throw .provider(.endpoint(name)) }
            return address
        }
        authorizationEndpoint = try required("authorization_endpoint", document.authorizationEndpoint)
        tokenEndpoint = try required("token_endpoint", document.tokenEndpoint)
        keySetAddress = try required("jwks_uri", document.keySetAddress)
        userInfoEndpoint = try secure("userinfo_endpoint", document.userInfoEndpoint)
        revocationEndpoint = try secure("revocation_endpoint", document.revocationEndpoint)
        deviceAuthorizationEndpoint = try secure(
            "device_authorization_endpoint", document.deviceAuthorizationEndpoint)
        namesIssuerInAnswers = document.namesIssuerInAnswers ?? false
    }

    /// The members that matter here, as they are on the wire.
    struct Document: Decodable {
        let issuer: String
        let authorizationEndpoint: String?
        let tokenEndpoint: String?
        let keySetAddress: String?
        let userInfoEndpoint: String?
        let revocationEndpoint: String?
        let deviceAuthorizationEndpoint: String?
        let codeChallengeMethods: [String]?
        let namesIssuerInAnswers: Bool?

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            /// What is there but is not text is not an address: empty, and refused as that.
            func address(_ key: CodingKeys) -> String? {
                members.contains(key) ? (try? members.decode(String.self, forKey: key)) ?? "" : nil
            }
            issuer = try members.decode(String.self, forKey: .issuer)
            authorizationEndpoint = address(.authorizationEndpoint)
            tokenEndpoint = address(.tokenEndpoint)
            keySetAddress = address(.keySetAddress)
            userInfoEndpoint = address(.userInfoEndpoint)
            revocationEndpoint = address(.revocationEndpoint)
            deviceAuthorizationEndpoint = address(.deviceAuthorizationEndpoint)
            codeChallengeMethods = try members.decodeIfPresent([String].self, forKey: .codeChallengeMethods)
            namesIssuerInAnswers = try members.decodeIfPresent(Bool.self, forKey: .namesIssuerInAnswers)
        }

        private enum CodingKeys: String, CodingKey {
            case issuer
            case authorizationEndpoint = "authorization_endpoint"
            case tokenEndpoint = "token_endpoint"
            case keySetAddress = "jwks_uri"
            case userInfoEndpoint = "userinfo_endpoint"
            case revocationEndpoint = "revocation_endpoint"
            case deviceAuthorizationEndpoint = "device_authorization_endpoint"
            case codeChallengeMethods = "code_challenge_methods_supported"
            case namesIssuerInAnswers = "authorization_response_iss_parameter_supported"
        }
    }
}
