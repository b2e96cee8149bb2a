package import OAuth2

/// Everything that a Native SSO exchange is decided by, found out before anything is decided.
package struct NativeSSOFacts: Sendable {
    /// What a verified subject token says; an `id_token` may have expired (draft-07 §4.3).
    package struct SubjectToken: Hashable, Sendable {
        /// Which of the two types of subject token it is (contract §5.4).
        package enum Kind: Hashable, Sendable { case idToken, accessToken }

        package let kind: Kind
        package let subject: Subject
        /// The client that it was issued to.
        package let clientID: ClientID
        package let sessionID: SessionID?
        /// What an access token may be used for.
        package let scope: Scope?
        package let deviceSecretHash: String?
        /// The key that an access token is bound to.
        package let proofKeyThumbprint: String?

        package init(
            kind: Kind, subject: Subject, clientID: ClientID, sessionID: SessionID?, scope: Scope? = nil,
            deviceSecretHash: String? = nil,
            proofKeyThumbprint: String? = nil
        ) {
            self.kind = kind
            self.subject = subject
            self.clientID = clientID
            self.sessionID = sessionID
            self.scope = scope
            self.deviceSecretHash = deviceSecretHash
            self.proofKeyThumbprint = proofKeyThumbprint
        }
    }

    package var at: Timestamp
    package var settings: NativeSSOSettings
    package var issuer: String
    /// Who asks.
    package var client: Client
    /// `audience`, when it was sent.
    package var audience: String?
    package var requestedScope: Scope?
    /// What is known of the secret; `nil` when it was never given out.
    package var secret: PresentedDeviceSecret?
    /// `ds_hash` of the secret as it was presented; `nil` when it has not the form of one.
    package var secretHash: String?
    /// The key that the app showed.
    package var proofKeyThumbprint: String?
    /// `nil` when the token is not ours or cannot be verified.
    package var subjectToken: SubjectToken?
    /// The client of the subject token, while it is registered.
    package var sourceClient: Client?
    /// The apps that the session came by through exchanges (``Lineage/appsAbove``); `nil` in place of one that is no
    /// longer registered.
    package var appsAbove: [Client?]
    /// The app session that the subject token names.
    package var session: AppSession?
    package var isSubjectDisabled = false
    /// Whether the user has agreed that the client gets this scope, or needs not to be asked.
    package var hasConsent: @Sendable (Scope) -> Bool

    package init(
        at: Timestamp, settings: NativeSSOSettings, issuer: String, client: Client, audience: String? = nil,
        requestedScope: Scope? = nil, secret: PresentedDeviceSecret?, secretHash: String?,
        proofKeyThumbprint: String? = nil, subjectToken: SubjectToken?, sourceClient: Client?,
        appsAbove: [Client?] = [], session: AppSession?, isSubjectDisabled: Bool = false,
        hasConsent: @escaping @Sendable (Scope) -> Bool
    ) {
        self.at = at
        self.settings = settings
        self.issuer = issuer
        self.client = client
        self.audience = audience
        self.requestedScope = requestedScope
        self.secret = secret
        self.secretHash = secretHash
        self.proofKeyThumbprint = proofKeyThumbprint
        self.subjectToken = subjectToken
        self.sourceClient = sourceClient
        self.appsAbove = appsAbove
        self.session = session
        self.isSubjectDisabled = isSubjectDisabled
        self.hasConsent = hasConsent
    }
}

extension NativeSSOFacts {
    /// What of a scope the client of the subject token, and each app that its session came by, may still have (contract
    /// §5).
    func stillGranted(_ held: Scope) -> Scope { held.present(in: [sourceClient] + appsAbove) }
}
