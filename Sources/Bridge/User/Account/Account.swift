/// A user whom Drawbridge itself signs in.
package struct Account: Hashable, Sendable {
    package enum Role: String, Sendable, CaseIterable {
        /// May open the console (contract §13).
        case admin
    }

    /// Who names the users of accounts, where a trusted issuer's `iss` stands for the others.
    package static let issuer = "drawbridge"

    /// Opaque; never a name, and never changed.
    package let subject: Subject
    /// `nil` for a user who comes from an upstream provider only.
    package var username: Username?
    /// What pages show.
    package var displayName: String?
    package var email: String?
    /// `nil` for an account without a password.
    package var passwordHash: PasswordHash?
    package var role: Role?
    package var secondFactor: SecondFactor?
    package var createdAt: Timestamp
    package var passwordChangedAt: Timestamp
    /// Kept with the user, not with the account: one switch for every way to sign in.
    package var disabledAt: Timestamp?
    /// What else is known, for apps that may ask for it.
    package var claims: StandardClaims
    package var claimsChangedAt: Timestamp?

    package init(
        subject: Subject, username: Username?, displayName: String? = nil, email: String? = nil,
        passwordHash: PasswordHash? = nil, role: Role? = nil, secondFactor: SecondFactor? = nil, createdAt: Timestamp,
        passwordChangedAt: Timestamp? = nil, disabledAt: Timestamp? = nil, claims: StandardClaims = .none,
        claimsChangedAt: Timestamp? = nil
    ) {
        self.subject = subject
        self.username = username
        self.displayName = displayName
        self.email = email
        self.passwordHash = passwordHash
        self.role = role
        self.secondFactor = secondFactor
        self.createdAt = createdAt
        self.passwordChangedAt = passwordChangedAt ?? createdAt
        self.disabledAt = disabledAt
        self.claims = claims
        self.claimsChangedAt = claimsChangedAt
    }

    /// How pages address the user.
    package var shownName: String { displayName ?? username?.text ?? email ?? subject.rawValue }

    /// A new account's subject: 128 random bits that say nothing.
    package static func makeSubject(random: RandomSource) -> Subject { Subject(rawValue: random.text(16)) }
}

/// A second factor that was set up.
package struct SecondFactor: Hashable, Sendable {
    /// The TOTP secret, sealed with the server's master key.
    package let sealedSecret: String
    /// The last time step whose code was used; that one and older ones are refused (RFC 6238 §5.2).
    package let lastStep: Int64

    package init(sealedSecret: String, lastStep: Int64 = 0) {
        self.sealedSecret = sealedSecret
        self.lastStep = lastStep
    }
}
