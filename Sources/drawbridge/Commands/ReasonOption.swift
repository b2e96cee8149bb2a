import ArgumentParser
import Bridge

/// Why somebody at the command line makes a change.
struct ReasonOption: ParsableArguments {
    static let about = "Why, for the audit log: one line of at most \(AdminAction.reasonLimit) characters."

    @Option(help: ArgumentHelp(ReasonOption.about)) var reason: String?

    func validate() throws {
        if let reason { try Self.check(reason) }
    }

    /// Whoever gives one says something.
    static func check(_ reason: String) throws {
        guard !reason.isEmpty, AdminAction.isReason(reason) else {
            throw ValidationError("--reason must be one line of 1 to \(AdminAction.reasonLimit) characters.")
        }
        guard StrayedSecret.redacting(reason) == reason else {
            throw ValidationError(
                "--reason holds a token or secret, or what begins like one: whoever reads the audit log would have it.")
        }
    }

    func action() -> AdminAction { .atCommandLine(reason: reason) }
}
