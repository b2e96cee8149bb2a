import Bridge

/// The users whose second factor a master key does not open: no code of their authenticator app is right.
struct UnopenedSecondFactors {
    /// Names that commands take, in order of subject.
    private let users: [String]

    /// Tries every second factor of a database.
    /// - Throws: ``StorageError``.
    init(in storage: any BridgeStorage, with master: MasterKey) async throws {
        let secrets = SecondFactorSecrets(master: master)
        var users: [String] = []
        var page = try await storage.accountsWithSecondFactor(after: nil, limit: Self.pageLength)
        while let last = page.last {
            for account in page {
                guard let factor = account.secondFactor,
                    (try? secrets.open(factor.sealedSecret, for: account.subject)) == nil
                else { continue }
                users.append(account.username?.text ?? account.subject.rawValue)
            }
            page = try await storage.accountsWithSecondFactor(after: last.subject, limit: Self.pageLength)
        }
        self.users = users
    }

    private static let pageLength = 500

    /// Tries every second factor of a database that is not open here, whether a server runs or not.
    /// - Throws: as the database does when it cannot be opened; ``StorageError``.
    static func look(at location: StorageLocation, with master: MasterKey) async throws -> UnopenedSecondFactors {
        try await location.reading { try await UnopenedSecondFactors(in: $0, with: master) }
    }

    /// What is wrong and what to do, as a sentence goes on after the master key's path; `nil` where all open.
    var text: String? {
        guard !users.isEmpty else { return nil }
        return """
            does not open second factors (\(users.count)): those of \(users.joined(separator: ", ")). Codes of their apps \
            are refused; `drawbridge users second-factor enrol --replace` sets up new ones.
            """
    }
}
