import ArgumentParser
import Bridge
import OAuth2

extension UsersCommand {
    /// Second factors, as an operator sets them up for users who cannot do so themselves.
    struct SecondFactorCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "second-factor",
            abstract: "Set up or remove an account's second factor, or make new recovery codes.",
            discussion: """
                Users do so themselves at /account/second-factor. The command is for the first administrator, \
                and for somebody who lost both the phone and the recovery codes.

                Examples:
                  drawbridge users second-factor enrol --config drawbridge.yaml admin
                  drawbridge users second-factor remove --config drawbridge.yaml \\
                      --reason "phone lost" alice
                """,
            subcommands: [Enrol.self, Remove.self, RecoveryCodes.self])

        struct Enrol: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Set up a second factor, in force at once; prints its key and recovery codes, this once.",
                discussion: """
                    Example:
                      drawbridge users second-factor enrol --config drawbridge.yaml \\
                          --replace alice
                    """)

            @OptionGroup var target: SecondFactorTarget
            @Flag(help: "Take the place of one that is there.") var replace = false

            func run() async throws {
                let secret = RandomSource.system.bytes(SecondFactorEnrolment.secretBytes)
                let codes = RecoveryCode.make(random: .system)
                let location = try target.options.location()
                let account = try await target.change { registers, account, action in
                    guard account.passwordHash != nil else {
                        throw CommandError("\(target.user) has no password here, so there is no first factor.")
                    }
                    let keys = try await registers.storage.signingKeys().keys
                    let secrets = try location.secondFactorSecrets(opening: keys, at: action.at)
                    let factor = SecondFactor(sealedSecret: try secrets.seal(secret, for: account.subject))
                    let event = SecondFactorChange.enrolled.event(by: action, of: account.subject)
                    let digests = codes.map(\.digest)
                    if replace {
                        return try await registers.storage.replaceSecondFactor(
                            factor, recoveryDigests: digests, of: account.subject, event: event)
                    }
                    return try await registers.storage.addSecondFactor(
                        factor, recoveryDigests: digests, of: account.subject, in: nil, event: event)
                }
                guard let account else {
                    throw CommandError("\(target.user) has a second factor; --replace takes its place.")
                }
                let address = OneTimeCode.enrolmentURI(
                    secret: secret, account: account.username?.text ?? account.shownName, issuer: location.siteName)
                try StandardOutput.show(
                    "Key: \(Base32.encode(secret))\n\(address)\n\(Self.text(of: codes))",
                    unseen: "\(target.user) has a new second factor all the same, and nobody has seen it: call this "
                        + "again with --replace.")
            }

            static func text(of codes: [RecoveryCode]) -> String {
                "Recovery codes, each good for one sign-in; they are not shown again:\n"
                    + codes.map { "  \($0.text.expose())\n" }.joined()
            }
        }

        struct Remove: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Remove the second factor; the password alone signs in then.",
                discussion: """
                    Example:
                      drawbridge users second-factor remove --config drawbridge.yaml \\
                          --reason "phone lost" alice
                    """)

            @OptionGroup var target: SecondFactorTarget

            func run() async throws {
                let account = try await target.change { registers, account, action in
                    try await registers.users.resetSecondFactor(
                        of: account.subject, event: SecondFactorChange.removed.event(by: action, of: account.subject))
                }
                guard account != nil else { throw CommandError("\(target.user) has no second factor.") }
                StandardOutput.say("Removed the second factor of \(target.user).")
            }
        }

        struct RecoveryCodes: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "recovery-codes", abstract: "Make new recovery codes; the old ones stop working.",
                discussion: """
                    Example:
                      drawbridge users second-factor recovery-codes \\
                          --config drawbridge.yaml alice
                    """)

            @OptionGroup var target: SecondFactorTarget

            func run() async throws {
                let codes = RecoveryCode.make(random: .system)
                let account = try await target.change { registers, account, action in
                    try await registers.storage.replaceRecoveryCodes(
                        codes.map(\.digest), of: account.subject,
                        event: SecondFactorChange.recoveryCodesRenewed.event(by: action, of: account.subject))
                }
                guard account != nil else { throw CommandError("\(target.user) has no second factor.") }
                try StandardOutput.show(
                    Enrol.text(of: codes),
                    unseen: "\(target.user) has new recovery codes all the same, and nobody has seen them: call this "
                        + "again.")
            }
        }
    }
}

/// Whose second factor, and why it is changed.
struct SecondFactorTarget: ParsableArguments {
    @OptionGroup var options: StorageOptions
    @OptionGroup var why: ReasonOption
    @Argument(help: "The user name or the subject.") var user: String

    /// Changes the account and records who did it.
    /// - Returns: `nil` when there was nothing to change.
    func change(
        _ body: (CommandRegisters, Account, AdminAction) async throws -> Bool
    ) async throws -> Account? {
        let action = why.action()
        return try await options.withRegisters { registers in
            let account = try await UserName(user).requiredAccount(in: registers.storage)
            return try await body(registers, account, action) ? account : nil
        }
    }
}

extension StorageLocation {
    /// - Parameter keys: of the database that the secrets are for.
    /// - Throws: ``MasterKeyFileError`` without the master key of that database: nothing could read the secrets
    ///   afterwards.
    fileprivate func secondFactorSecrets(
        opening keys: [SealedSigningKey], at now: Timestamp
    ) throws -> SecondFactorSecrets {
        SecondFactorSecrets(master: try MasterKeyFile.load(masterKeyPath, opening: try inUse(keys, at: now)))
    }
}
