import Foundation
package import OAuth2

/// A user whom Drawbridge itself signs in.
package struct Account: Hashable, Sendable {
    /// What a user may do beyond an ordinary account.
    package enum Role: String, Sendable, CaseIterable {
        /// May open the console (contract §13).
        case admin
    }

    /// Who names the users of accounts, where a trusted issuer's `iss` stands for the others.
    package static let issuer = "drawbridge"

    /// As ``lastEnd`` is before the first.
    package static let noEnd = Timestamp(milliseconds: 0)

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
    /// When everything of the user last ended at once; kept with the user, and never the same twice.
    package var everythingEndedAt: Timestamp?
    /// The last end of all that could still sign the user in: of everything, or of everything but one browser (contract
    /// §7). Grows with each, whatever the clocks say; what proves who the user is notes it (``SignInBasis``).
    package var lastEnd = Account.noEnd

    /// Whether all that could still sign the user in has ended since something was shown that noted ``lastEnd``.
    /// - Parameter noted: `nil` where nothing was noted, which was before there was such a note: no.
    func hasEnded(since noted: Timestamp?) -> Bool { noted.map { $0 != lastEnd } ?? false }

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

    /// Whether an authentication has everything that the account asks of its user: the second factor too, where there is
    /// one (contract §16.2).
    func isSatisfied(by authentication: Authentication) -> Bool {
        secondFactor == nil || authentication.hasTwoFactors
    }

    /// How pages address the user.
    package var shownName: String { displayName ?? username?.text ?? email ?? subject.rawValue }

    /// A new account's subject: 127 random bits that say nothing.
    ///
    /// The first bit is zero, so the first character is a letter: a dash there reads as an option on a command line.
    package static func makeSubject(random: RandomSource) -> Subject {
        var bytes = random.bytes(16)
        bytes[0] &= 0x7f
        return Subject(rawValue: Base64URL.encode(bytes))
    }
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

/// What accounts say of their users (OpenID Connect Core §5.1).
package struct AccountClaims: UserClaimsSource {
    private let accounts: any UserStore

    package init(accounts: any UserStore) { self.accounts = accounts }

    package func claims(of subject: Subject) async throws -> [String: JSONValue] {
        guard let account = try await accounts.account(of: subject) else {
            // Of another issuer's user we know what that issuer says.
            guard let told = try await accounts.record(of: subject)?.groups else { return [:] }
            return [UserGroups.claim: told.value]
        }
        var claims = account.claims.values
        claims["name"] = account.displayName.map(JSONValue.string)
        claims["preferred_username"] = (account.username?.text).map(JSONValue.string)
        claims["email"] = account.email.map(JSONValue.string)
        // Unverified, unless an administrator says otherwise.
        claims["email_verified"] = account.email.map { _ in claims["email_verified"] ?? .bool(false) }
        if claims["phone_number"] != nil {
            claims["phone_number_verified"] = claims["phone_number_verified"] ?? .bool(false)
        }
        claims["updated_at"] = .number(String((account.claimsChangedAt ?? account.createdAt).seconds))
        return claims
    }
}

/// The name that a user types to sign in.
///
/// Two spellings that differ in case only, or in how their characters are put together, are one name: they are compared
/// by ``key``. Letters of two alphabets that look the same are not.
package struct Username: Hashable, Sendable, CustomStringConvertible {
    /// The name as it was registered.
    package let text: String
    /// Compatibility-composed and lower case; unique over all accounts.
    package let key: String

    /// Bytes.
    package static let limit = 128

    /// - Returns: `nil` when the text is empty, longer than ``limit``, or holds control characters.
    package init?(_ text: String) {
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        guard (1...Self.limit).contains(trimmed.utf8.count),
            trimmed.unicodeScalars.allSatisfy({ !CharacterSet.controlCharacters.contains($0) && $0 != "\u{FFFD}" })
        else { return nil }
        self.text = trimmed
        key = trimmed.precomposedStringWithCompatibilityMapping.lowercased().precomposedStringWithCompatibilityMapping
    }

    /// A name for a new account, or an account's new name. One that has some other name already goes on with it.
    /// - Returns: `nil`, besides, when it holds anything that is not seen: it would look like another account's.
    package init?(registering text: String) {
        self.init(text)
        guard self.text.unicodeScalars.allSatisfy(Self.isSeen) else { return nil }
    }

    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .lineSeparator, .paragraphSeparator: false
        // The blank of Braille is a symbol by its category.
        default: !scalar.properties.isDefaultIgnorableCodePoint && scalar != "\u{2800}"
        }
    }

    package var description: String { text }

    package static func == (left: Username, right: Username) -> Bool { left.key.hasSameBytes(as: right.key) }

    package func hash(into hasher: inout Hasher) { hasher.combine(Array(key.utf8)) }
}
