import ArgumentParser
import Bridge
import BridgeHTTP
import Foundation
import OAuth2

/// Questions about a decision that changes nothing.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Say what would be decided, and why. Changes nothing.",
        subcommands: [Redirect.self, Token.self, Exchange.self, SelfIssued.self])

    /// Where a sign-in would land.
    struct Redirect: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Would this redirect be taken, and where would it lead?",
            discussion: """
                Prints one line of JSON a value: {"accepted":…,"location":…,"reason":…}. For a value of the \
                command line the exit status is 0 when it is accepted, 1 when not.

                Examples:
                  drawbridge explain redirect --allow /contacts --allow '/account/*' \\
                      --default /contacts /account/profile
                  drawbridge explain redirect --config drawbridge.yaml --client www \\
                      '//evil.example'
                  printf 'L2NvbnRhY3Rz\\n' | drawbridge explain redirect --allow /contacts \\
                      --stdin-base64
                """)

        @Option(help: "An allow-list entry: /a/b exactly, or /a/* for all below /a/. Repeatable.")
        var allow: [String] = []

        @Option(name: .customLong("default"), help: "Where a refused value leads. Default: the first exact entry.")
        var defaultPath: String?

        @Option(help: "Take the allow-list and the origin of this client of the settings file.")
        var client: String?

        @OptionGroup var options: SettingsOptions

        @Flag(name: .customLong("stdin-base64"), help: "Read values from standard input, one a line, as base64.")
        var readsStandardInput = false

        @Argument(help: "The value of the redirect parameter, after one form-url-decoding.")
        var value: String?

        func validate() throws {
            guard allow.isEmpty != (client == nil) else {
                throw ValidationError("Give either --allow entries or --client.")
            }
            guard readsStandardInput != (value != nil) else {
                throw ValidationError("Give one value, or --stdin-base64.")
            }
        }

        func run() throws {
            let (policy, origin) = try rule()
            let explanation = RedirectExplanation(policy: policy, origin: origin)
            if let value {
                try StandardOutput.answer(explanation.line(for: Array(value.utf8)))
                if case .refused = policy.decide(Array(value.utf8)) { throw ExitCode.failure }
                return
            }
            while let line = StandardInput.line() {
                guard let bytes = Data(base64Encoded: line) else {
                    throw CommandError("A line of standard input is not base64.")
                }
                try StandardOutput.answer(explanation.line(for: Array(bytes)))
            }
        }

        private func rule() throws -> (ReturnPathPolicy, String) {
            if let client {
                let settings = try options.load()
                guard let found = settings.clients.first(where: { $0.id.rawValue == client }) else {
                    throw CommandError("There is no client \(client) in the settings file.")
                }
                return (found.returnPaths, (found.publicOrigin ?? settings.origins.website).description)
            }
            let fallback = defaultPath ?? allow.first { !$0.hasSuffix("*") }
            guard let fallback else { throw CommandError("Give --default: no entry is an exact path.") }
            do {
                return (try ReturnPathPolicy(entries: allow, defaultPath: fallback, allowsAnyPath: true), "")
            } catch {
                throw CommandError("The allow-list is not accepted: \(error)")
            }
        }
    }
}
