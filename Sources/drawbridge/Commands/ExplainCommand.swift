import ArgumentParser
import Bridge
import BridgeHTTP
import Foundation
import OAuth2

/// Questions about a decision that changes nothing.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Say what would be decided, and why. Changes nothing.",
        discussion: """
            Examples:
              drawbridge explain redirect --config drawbridge.yaml --client www \\
                  /account/profile
              drawbridge explain token --config drawbridge.yaml < token.txt
            """,
        subcommands: [Redirect.self, Token.self, Bearer.self, Exchange.self, SelfIssued.self])

    /// Where a sign-in would land.
    struct Redirect: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Would this redirect be taken, and where would it lead?",
            discussion: """
                Prints one line of JSON a value: {"passes":…,"reason":…,"rule":…,"steps":[…]}. For a value of \
                the command line the exit status is 0 when it passes, 1 when not.

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

        @Flag(
            name: .customLong("allow-any-path"),
            help: "Take /* alone as an entry, as a website with allow_any_path may have it.")
        var allowsAnyPath = false

        @Option(
            name: .customLong("default"),
            help: "Where a refused value leads. Default: the first exact entry, else the first entry's own path.")
        var defaultPath: String?

        @Option(help: "Take the allow-list and the origin of this client, of the settings file or the database.")
        var client: String?

        @OptionGroup var options: ConfiguredStorageOptions

        @Flag(name: .customLong("stdin-base64"), help: "Read values from standard input, one a line, as base64.")
        var readsStandardInput = false

        @Argument(help: "The value of the redirect parameter, after one form-url-decoding.")
        var value: String?

        func validate() throws {
            guard allow.isEmpty != (client == nil) else {
                throw ValidationError("Give either --allow entries or --client.")
            }
            guard client == nil || !allowsAnyPath else {
                throw ValidationError("--allow-any-path is about --allow; with --client the client's document says it.")
            }
            guard readsStandardInput != (value != nil) else {
                throw ValidationError("Give one value, or --stdin-base64.")
            }
        }

        func run() async throws {
            let explain = try await rule()
            if let value {
                let explanation = explain(Array(value.utf8))
                try StandardOutput.answer(explanation.json)
                if !explanation.passes { throw ExitCode.failure }
                return
            }
            while let line = try StandardInput.line() {
                guard let bytes = Data(base64Encoded: line) else {
                    throw CommandError("A line of standard input is not base64.")
                }
                try StandardOutput.answer(explain(Array(bytes)).json)
            }
        }

        /// What decides about a value.
        private func rule() async throws -> ([UInt8]) -> Explanation {
            if let client {
                let settings = try options.settings.load()
                let website = try await find(ClientID(rawValue: client), settings)
                return {
                    RedirectExplainer.explain($0, for: website, publicOrigin: settings.origins.website)
                }
            }
            // Of `/a/*` the entry's own path is `/a/`. There is an entry: `validate` asks for one without a client.
            let fallback = defaultPath ?? allow.first { !$0.hasSuffix("*") } ?? String(allow[0].dropLast())
            do throws(ReturnPathPolicyError) {
                let policy = try ReturnPathPolicy(entries: allow, defaultPath: fallback, allowsAnyPath: allowsAnyPath)
                return { RedirectExplainer(policy).explain($0) }
            } catch {
                throw CommandError("The allow-list is not accepted: \(Self.sentence(error))")
            }
        }

        private static func sentence(_ error: ReturnPathPolicyError) -> String {
            switch error {
            case .malformedEntry(let entry):
                "\(entry.debugDescription) is not an entry, which is /a/b exactly, or /a/* for all below /a/."
            case .anyPathNotAllowed: "/* alone, which allows every path, needs --allow-any-path."
            case .defaultNotListed(let path): "it does not allow \(path), where a refused value would lead."
            }
        }

        /// As the service finds it. What the settings file has takes precedence, and needs no database.
        private func find(_ id: ClientID, _ settings: DrawbridgeSettings) async throws -> Client? {
            if let client = ConfiguredClients(settings).directory(with: [])[id] { return client }
            return try await options.storage.reading {
                try await ClientReloader(settings: settings, store: $0).directory.current[id]
            }
        }
    }
}
