package import Logging
import OAuth2

/// A code as it was typed, with where that was.
struct CodeAttempt: Sendable {
    let code: String
    /// `nil` where the code is to open one.
    let session: SessionID?
    let origin: RequestOrigin
    let at: Timestamp

    /// The event of the recovery code that this was.
    fileprivate func recoveryCodeUsed(by subject: Subject, left: Int) -> AuditEvent {
        .byUser(
            .userSecondFactorChanged, subject, sessionID: session,
            facts: [
                AuditDetail.change: SecondFactorChange.recoveryCodeUsed.rawValue,
                AuditDetail.recoveryCodesLeft: String(left),
            ], origin: origin, at: at)
    }
}

/// Tells whether a code is a user's, and uses it up (RFC 6238 §5.2).
package struct SecondFactorCheck: Sendable {
    private let accounts: any UserStore
    private let secrets: SecondFactorSecrets
    private let logger: Logger

    /// - Parameter logger: told of users whose second factor does not open.
    package init(
        accounts: any UserStore, secrets: SecondFactorSecrets,
        logger: Logger = Logger(label: "drawbridge.second_factor")
    ) {
        self.accounts = accounts
        self.secrets = secrets
        self.logger = logger
    }

    /// Takes what an authenticator app shows, or a recovery code; each counts once, whoever presents it first.
    ///
    /// No code is right for a secret that another master key sealed. Recovery codes are digests, and need no key.
    /// - Throws: ``StorageError`` when it cannot be decided now.
    func accepts(_ attempt: CodeAttempt, for account: Account) async throws -> Bool {
        guard let factor = account.secondFactor else { return false }
        if let secret = opened(factor, of: account.subject),
            let step = OneTimeCode.matchingStep(typed: attempt.code, secret: secret, at: attempt.at)
        {
            return try await accounts.claimStep(step, of: account.subject)
        }
        guard let digest = RecoveryCode.digest(ofTyped: attempt.code) else { return false }
        let subject = account.subject
        return try await accounts.claimRecoveryCode(digest: digest, of: subject, at: attempt.at) { left in
            attempt.recoveryCodeUsed(by: subject, left: left)
        }
    }

    /// - Returns: `nil` for one that does not open, of which the log is told: only operators can set it up anew
    ///   (docs/operations.md, The master key has leaked).
    private func opened(_ factor: SecondFactor, of subject: Subject) -> [UInt8]? {
        do {
            return try secrets.open(factor.sealedSecret, for: subject)
        } catch {
            logger.error(
                "a second factor cannot be used", metadata: ["sub": "\(subject.rawValue)", "error": "\(error)"])
            return nil
        }
    }
}
