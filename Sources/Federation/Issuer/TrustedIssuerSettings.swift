package import Bridge
package import OAuth2

/// An external issuer whose access tokens we take (contract §1.1), with every default resolved.
package struct TrustedIssuerSettings: Sendable {
    /// How the issuer's tokens are verified.
    package enum Verification: Sendable {
        /// A secret shared with the issuer; the token's `kid`, when it has one, must be this one, when given.
        /// `reread` takes the secret from its file again; `nil` for one that is in no file.
        case hmac(
            secret: Secret<[UInt8]>, keyID: String?, algorithm: SignatureAlgorithm,
            reread: (@Sendable () throws -> Secret<[UInt8]>)? = nil)
        case jwksFile(path: String)
        case jwksURL(String)
        /// The `jwks_uri` of the issuer's metadata.
        case discovery
        /// RFC 7662: the issuer is asked about each token. `reread` as above.
        case introspection(
            endpoint: String, clientID: String, clientSecret: Secret<String>,
            reread: (@Sendable () throws -> Secret<String>)? = nil)
    }

    /// `iss`, byte for byte.
    package var issuer: String
    /// A token must name one of these in `aud`.
    package var audiences: [String]
    package var verification: Verification
    /// For public keys; ignored for a shared secret, whose one algorithm is named with it.
    package var algorithms: Set<SignatureAlgorithm>
    package var subjectClaim: String
    package var clientClaim: String
    /// Looked at when ``clientClaim`` is absent; `azp` is a common one.
    package var fallbackClientClaim: String?
    /// Tells a user's devices apart, for the limits on issuing; a token without it counts as one device of its user.
    package var deviceClaim: String
    /// Says which groups a user is in; `nil` believes no word of them.
    package var groupsClaim: String?
    /// Put before the subject, so that two issuers can never name the same user.
    package var subjectPrefix: String
    /// Whether its users are the ones of our accounts, so that its tokens may name an account's subject.
    package var sharesSubjectsWithAccounts: Bool
    /// The clients that its tokens may name; `nil` for all of them.
    package var clients: Set<ClientID>?
    /// The longest life, from its making to its end, that a signed token may have.
    package var maximumTokenLifetime: Duration
    /// How far the issuer's clock may be from ours.
    package var leeway: Duration

    /// The longest token of theirs that is looked at, in bytes.
    package static let maximumTokenLength = 8192
    /// What is signed with public keys unless said otherwise.
    package static let defaultAlgorithms: Set<SignatureAlgorithm> = [.es256, .rs256, .ps256, .edDSA]
    package static let defaultSubjectClaim = "sub"
    package static let defaultClientClaim = "client_id"
    package static let defaultDeviceClaim = "device_id"
    package static let defaultLeeway = Duration.seconds(30)
    package static let leeways = Duration.zero ... .seconds(60)
    package static let defaultMaximumTokenLifetime = Duration.seconds(86_400)
    package static let maximumTokenLifetimes = Duration.seconds(60)...(.seconds(366 * 86_400))

    package init(
        issuer: String, audiences: [String], verification: Verification,
        algorithms: Set<SignatureAlgorithm> = defaultAlgorithms, subjectClaim: String = defaultSubjectClaim,
        clientClaim: String = defaultClientClaim, fallbackClientClaim: String? = nil,
        deviceClaim: String = defaultDeviceClaim, groupsClaim: String? = nil, subjectPrefix: String = "",
        sharesSubjectsWithAccounts: Bool = false, clients: Set<ClientID>? = nil,
        leeway: Duration = defaultLeeway, maximumTokenLifetime: Duration = defaultMaximumTokenLifetime
    ) {
        self.issuer = issuer
        self.audiences = audiences
        self.verification = verification
        self.algorithms = algorithms
        self.subjectClaim = subjectClaim
        self.clientClaim = clientClaim
        self.fallbackClientClaim = fallbackClientClaim
        self.deviceClaim = deviceClaim
        self.groupsClaim = groupsClaim
        self.subjectPrefix = subjectPrefix
        self.sharesSubjectsWithAccounts = sharesSubjectsWithAccounts
        self.clients = clients
        self.leeway = leeway
        self.maximumTokenLifetime = maximumTokenLifetime
    }

    var usesIntrospection: Bool { if case .introspection = verification { true } else { false } }
}
