/// Keeps TOTP secrets unreadable for whoever has the database alone.
package struct SecondFactorSecrets: Sendable {
    private let master: MasterKey

    package init(master: MasterKey) { self.master = master }

    /// Seals a secret for one user: it opens for no other.
    package func seal(_ secret: [UInt8], for subject: Subject) throws -> String {
        try master.seal(secret, name: Self.name(subject))
    }

    /// - Throws: ``MasterKeyError`` when it was sealed with another key or for another user.
    package func open(_ sealed: String, for subject: Subject) throws -> [UInt8] {
        try master.open(sealed, name: Self.name(subject))
    }

    private static func name(_ subject: Subject) -> String { "second factor of \(subject.rawValue)" }
}
