package import OAuth2

/// Whom a verified bearer names.
package struct BearerIdentity: Hashable, Sendable {
    /// Whom an issuer may speak for (contract §1.3).
    package enum Authority: Hashable, Sendable {
        /// This service: any user that was let in here.
        case own
        /// Its own users and sessions.
        case trusted
        /// Its own users and sessions, and the users of our accounts: the operator says that they are the same people.
        case trustedWithAccounts
    }

    /// With the issuer's `subject_prefix` already in front.
    package let subject: Subject
    /// The app.
    package let clientID: ClientID
    /// The issuer's `iss`.
    package let issuer: String
    package let authority: Authority
    /// The app's session at its issuer, from `sid`.
    package let sessionID: SessionID?
    /// The device that it is used on, as far as its issuer tells them apart; `nil` when it does not.
    package let deviceID: String?
    /// The groups of the user, where the issuer is believed about them.
    package let groups: UserGroups?
    package let authentication: Authentication
    /// When the issuer says that the user signed in, whatever our clock says: the same each time that the bearer is read,
    /// as ``authentication`` need not be. For comparing alone.
    package let statedSignIn: Timestamp?
    /// What it may be used for; `nil` of another issuer, whose scopes are not ours.
    package let scope: Scope?
    /// The key that must be shown with it (RFC 7800, RFC 9449 §6): code that takes the bearer checks it with
    /// ``SenderConstraint``.
    package let proofKeyThumbprint: String?
    /// When the token was made, as far as we made it ourselves.
    package let issuedAt: Timestamp?
    /// The instant from which the bearer is refused.
    package let expiresAt: Timestamp
    /// How long this answer may be kept: up to ``expiresAt``, less where the issuer must be asked again.
    package let cacheableUntil: Timestamp

    package init(
        subject: Subject, clientID: ClientID, issuer: String, authority: Authority = .trusted, sessionID: SessionID?,
        deviceID: String? = nil, groups: UserGroups? = nil,
        authentication: Authentication, statedSignIn: Timestamp? = nil, scope: Scope? = nil,
        proofKeyThumbprint: String? = nil,
        issuedAt: Timestamp? = nil,
        expiresAt: Timestamp, cacheableUntil: Timestamp? = nil
    ) {
        self.subject = subject
        self.clientID = clientID
        self.issuer = issuer
        self.authority = authority
        self.sessionID = sessionID
        self.deviceID = deviceID
        self.groups = groups
        self.authentication = authentication
        self.statedSignIn = statedSignIn
        self.scope = scope
        self.proofKeyThumbprint = proofKeyThumbprint
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.cacheableUntil = cacheableUntil ?? expiresAt
    }
}
