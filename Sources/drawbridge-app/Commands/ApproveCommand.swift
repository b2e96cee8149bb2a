import ArgumentParser
import DrawbridgeClient
import Foundation

/// Plays the phone that signs a computer's browser in.
struct ApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Sign in a browser on another device, as a phone does that scanned its code.",
        usage: "drawbridge-app approve [<options>] <code>",
        discussion: """
            Takes the link that the code of the page /signin/phone holds, or the eight letters below it. Says \
            who asks, and asks you. After a yes it shows six digits: type them on that page, and nowhere else. \
            Nobody will ever ask you for them.

            Examples:
              drawbridge-app approve https://id.example.com/x/3q2-7wAAAAAAAAAAAAAAAA
              drawbridge-app approve BCDF-GHJK
              drawbridge-app approve --answer no BCDF-GHJK
            """)

    @OptionGroup var options: AppOptions

    @Option(help: "Answer yes, no or report without being asked, for scripts.")
    var answer: Answer?

    @Argument(help: "The link, or the eight letters.")
    var code: String

    enum Answer: String, ExpressibleByArgument, CaseIterable, Sendable {
        case yes, no, report

        var decision: ApprovalDecision {
            switch self {
            case .yes: .approve
            case .no: .decline
            case .report: .report
            }
        }
    }

    func run() async throws {
        let given = answer
        try await options.run { drawbridge throws(ClientError) in
            let decide: @Sendable (AskingBrowser) async -> ApprovalDecision = { asking in
                let isSeen = (try? printResult(Self.description(of: asking).joined(separator: "\n"))) != nil
                if let given { return given.decision }
                // Who was not told who asks has agreed to nothing.
                return isSeen ? await Self.ask(asking) : .decline
            }
            let digits =
                if code.contains("/") {
                    try await drawbridge.approveSignIn(link: code, decide: decide)
                } else {
                    try await drawbridge.approveSignIn(letters: code, decide: decide)
                }
            guard let digits else { return try printResult("Declined. Nobody was signed in.") }
            say("Type this on the computer where you saw the code, within \(digits.expiresIn) s:")
            try printResult("  \(digits.digits.expose())")
            say("Nobody from us will ever ask for it.")
        }
    }

    static func description(of asking: AskingBrowser) -> [String] {
        var lines = ["A browser asks to be signed in as you at \(plain(asking.origin)):"]
        let what = [asking.browser ?? "an unknown browser", asking.system.map { "on \($0)" }].compactMap(\.self)
        lines.append("  " + plain(what.joined(separator: " ")) + (asking.isKnownBrowser ? ", known to you" : ""))
        lines.append(
            "  in \(asking.isSameNetwork ? "your network" : "another network than yours")"
                + (asking.network.map { " (\(plain($0)))" } ?? ""))
        lines.append("  its page was opened \(asking.age) s ago")
        if !asking.isSameNetwork { lines.append("Say yes only if you sit in front of it.") }
        return lines
    }

    /// - Returns: no to anything that is not a yes or a report.
    private static func ask(_ asking: AskingBrowser) async -> ApprovalDecision {
        // Time to read: most of those who are tricked are hurried.
        if !asking.isSameNetwork { try? await Task.sleep(for: .seconds(5)) }
        say("yes, no, or report that this is not you?")
        let typed = (readLine() ?? "").trimmingCharacters(in: .whitespaces).lowercased()
        return Answer(rawValue: typed)?.decision ?? .decline
    }
}

/// Shows digits for a computer whose code cannot be scanned.
struct DigitsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "digits", abstract: "Show digits that sign you in on a computer, beside your user name.",
        usage: "drawbridge-app digits [<options>]",
        discussion: """
            Type them on the provider's page /signin/code, and nowhere else. Nobody will ever ask you for them.
            """)

    @OptionGroup var options: AppOptions

    func run() async throws {
        try await options.run { drawbridge throws(ClientError) in
            let digits = try await drawbridge.signInDigits()
            say("Type this with your user name on \(drawbridge.configuration.issuer)/signin/code,")
            say("within \(digits.expiresIn) s:")
            try printResult("  \(digits.digits.expose())")
        }
    }
}
