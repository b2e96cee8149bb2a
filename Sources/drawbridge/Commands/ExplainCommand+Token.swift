import ArgumentParser
import Bridge
import BridgeHTTP
import Foundation
import Logging
import OAuth2

extension ExplainCommand {
    /// What a login token would come to.
    struct Token: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Would this login token be redeemed, and which rule decides?",
            discussion: """
                Reads the token from standard input, so that it stays out of the list of processes, and prints \
                {"passes":…,"reason":…,"rule":…,"steps":[…]}. Exit status 0 when it passes, 1 when not.

                Example:
                  drawbridge explain token --config drawbridge.yaml \\
                      --ip 203.0.113.7 < token.txt
                """)

        @OptionGroup var options: ConfiguredStorageOptions

        @Option(help: "The redirect parameter that would come with it.")
        var redirect: String?

        @Option(help: "The address of the browser that would redeem it. Without it no binding to a network is judged.")
        var ip: String?

        func validate() throws {
            if let ip, NetworkAddress(ip) == nil { throw ValidationError("--ip is not an address.") }
        }

        func run() async throws {
            let token = try StandardInput.requiredToken()
            let settings = try options.settings.load()
            let explanation = try await options.storage.reading { storage in
                try await Self.explainer(settings, storage).redemption(
                    Secret(token), redirect: redirect.map { Array($0.utf8) },
                    address: ip.flatMap { NetworkAddress($0) })
            }
            try StandardOutput.answer(explanation.json)
            if !explanation.passes { throw ExitCode.failure }
        }

        private static func explainer(
            _ settings: DrawbridgeSettings, _ storage: any BridgeStorage
        ) async throws -> Explainer {
            let time = TimeSource.system
            let keys = try await ServiceKeys.read(
                settings: settings, store: storage, logger: Logger(label: "drawbridge"))
            let clients = try await ClientReloader(settings: settings, store: storage)
            return Explainer(
                codec: LoginTokenCodec(issuer: settings.origins.issuer.description, keys: keys.loginTokens),
                clients: clients.directory, subjects: storage, store: storage,
                parents: ParentSessions(
                    store: storage, sessions: AppSessions(store: storage, time: time), time: time),
                publicOrigin: settings.origins.website, time: time)
        }
    }
}
