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
    }

    func action() -> AdminAction { .atCommandLine(reason: reason) }
}
