/// What is changed of one user, together or not at all; what is `nil` stays as it is.
package struct UserChange: Sendable {
    /// A role to give, or that the present one is taken.
    package enum RoleChange: Hashable, Sendable {
        case give(Account.Role)
        case take
    }

    /// Ends everything of the user (contract §7).
    package var passwordHash: PasswordHash?
    package var claims: StandardClaims?
    package var role: RoleChange?
    /// Disabling ends everything of the user.
    package var isDisabled: Bool?
    package var names: AccountNames?
    /// Whether the last account that administers stays as it is; see ``AdminActor/sparesLastAdministrator``.
    package var sparesLastAdministrator = true
    /// The user as an administrator saw them: if they are another by now, nothing is changed. `nil` where it does not
    /// matter.
    package var seen: UserOverview?

    /// Whether it may take an administrator away.
    package var takesAdministrator: Bool { role == RoleChange.take || isDisabled == true }

    var endsEverything: Bool { passwordHash != nil || isDisabled == true }

    package init(
        passwordHash: PasswordHash? = nil, claims: StandardClaims? = nil, role: RoleChange? = nil,
        isDisabled: Bool? = nil, names: AccountNames? = nil
    ) {
        self.passwordHash = passwordHash
        self.claims = claims
        self.role = role
        self.isDisabled = isDisabled
        self.names = names
    }

    /// Makes the event of one of the changes.
    package typealias Events = @Sendable (_ type: AuditEventType, _ facts: Facts) -> AuditEvent

    /// What the `detail` of the event of one of the changes is to say besides who did it.
    package struct Facts: Hashable, Sendable {
        package let members: [String: String]
        /// The names of the claims that were changed, never what they say; `nil` for another change.
        package let fields: [String]?

        package init(_ members: [String: String] = [:], fields: [String]? = nil) {
            self.members = members
            self.fields = fields
        }
    }
}

/// How an account's user is called; all three are replaced.
package struct AccountNames: Hashable, Sendable {
    /// Bytes of a name or an address, each of which is one line.
    package static let limit = 256

    package let username: Username?
    package let displayName: String?
    package let email: String?

    package init(username: Username?, displayName: String?, email: String?) {
        self.username = username
        self.displayName = displayName
        self.email = email
    }

    /// Whether a text can be a person's name: one line of at most ``limit`` bytes.
    package static func canBeName(_ text: String) -> Bool { !text.isEmpty && text.isLine(upTo: limit) }

    /// Whether a text can be an e-mail address: one line without spaces, something on both sides of one `@`. Whether
    /// anyone reads what is sent there is not known.
    package static func canBeAddress(_ text: String) -> Bool {
        let sides = text.split(separator: "@", omittingEmptySubsequences: false)
        return text.isLine(upTo: limit) && sides.count == 2 && sides.allSatisfy { !$0.isEmpty }
            && !text.contains(where: \.isWhitespace)
    }
}

/// The outcome of a change of a user.
package enum UserChangeOutcome: Hashable, Sendable {
    /// - Parameter ended: what ended with it.
    case changed(Ended)
    /// The user is unknown, or was so already; nothing was written.
    case unchanged
    /// The user has no account, which the change needs; nothing was written.
    case noAccount
    /// No administrator's account would be left; nothing was written.
    case lastAdministrator
    /// Another account has the name; nothing was written.
    case usernameTaken
    /// The user is not as ``UserChange/seen`` any more; nothing was written.
    case changedMeanwhile
}
