import ArgumentParser
import Bridge
import BridgeHTTP
import CoreMetrics
import Federation
import Foundation
import Logging
import OAuth2

extension ExplainCommand {
    /// What a token exchange would come to.
    struct Exchange: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Would this exchange of a device secret pass, and which rule decides?",
            discussion: """
                Reads the subject token from the first line of standard input and the device secret from the \
                second, so that both stay out of the list of processes, and prints \
                {"passes":…,"reason":…,"rule":…,"steps":[…]}. Exit status 0 when it passes, 1 when not. A device \
                secret that is bound to a key does not pass: the key's proof belongs to a request.

                Example:
                  printf '%s\\n%s\\n' "$ID_TOKEN" "$DEVICE_SECRET" \\
                    | drawbridge explain exchange --config drawbridge.yaml --client shop-app
                """)

        enum TokenType: String, ExpressibleByArgument, CaseIterable {
            case idToken = "id_token"
            case accessToken = "access_token"

            var uri: String { self == .idToken ? TokenTypeURI.idToken : TokenTypeURI.accessToken }
        }

        @OptionGroup var options: ConfiguredStorageOptions

        @Option(help: "The client that would send the request.")
        var client: String

        @Option(name: .customLong("subject-token-type"), help: "What the first line is: id_token or access_token.")
        var subjectTokenType = TokenType.idToken

        @Option(help: "The request's audience. Default: this service, as it should be.")
        var audience: String?

        @Option(help: "The request's scope.")
        var scope: String?

        func run() async throws {
            let subjectToken = try StandardInput.token()
            guard !subjectToken.isEmpty else {
                throw CommandError("There is no subject token on the first line of standard input.")
            }
            let settings = try options.settings.load()
            let pairs: [(String, String?)] = [
                ("grant_type", GrantType.tokenExchange.rawValue), ("client_id", client),
                ("subject_token_type", subjectTokenType.uri), ("subject_token", subjectToken),
                ("actor_token_type", TokenTypeURI.deviceSecret), ("actor_token", try StandardInput.token()),
                ("audience", audience ?? settings.origins.issuer.description), ("scope", scope),
            ]
            let form = pairs.compactMap { name, value in
                value.flatMap { $0.isEmpty ? nil : "\(name)=\(PercentEncoding.encode($0))" }
            }.joined(separator: "&")
            let explanation = try await options.storage.withRules(settings) { _, wings in
                guard let provider = wings.provider else {
                    throw CommandError("There is no token endpoint: provider.enabled is false.")
                }
                return try await provider.nativeSSO.exchange.explain(
                    try FormParameters(parsing: form.utf8),
                    origin: RequestOrigin(address: nil, userAgent: nil, requestID: "command-line"),
                    at: TimeSource.system.now())
            }
            try StandardOutput.answer(explanation.json)
            if !explanation.passes { throw ExitCode.failure }
        }
    }
}

extension StorageOptions {
    /// The server's own rules over a database that is only read.
    func withRules<Value>(
        _ settings: DrawbridgeSettings, _ body: (Ground, Wings) async throws -> Value
    ) async throws -> Value {
        try await reading { storage in
            let (ground, wings) = try await Self.rules(settings, over: storage)
            return try await body(ground, wings)
        }
    }

    private static func rules(
        _ settings: DrawbridgeSettings, over storage: any BridgeStorage
    ) async throws -> (ground: Ground, wings: Wings) {
        var settings = settings
        // Nothing is counted and nobody is told, so nothing that is shared is needed.
        settings.redis = nil
        let logger = Logger(label: "drawbridge") { _ in SwiftLogNoOpLogHandler() }
        let ground = Ground(
            settings: settings, storage: storage,
            shared: await SharedState(
                settings: settings, storage: storage, metrics: NOOPMetricsHandler.instance, logger: logger,
                time: .system),
            keys: try await ServiceKeys.read(settings: settings, store: storage, logger: logger),
            master: try MasterKeyFile.load(settings.storage.masterKeyPath),
            clients: try await ClientReloader(settings: settings, store: storage).directory,
            logger: logger, time: .system)
        let issuers = try await TrustedIssuers(settings.trustedIssuers, logger: logger)
        return (ground, try Wings(ground, bearers: issuers, notices: NoticeBell(), onRedemption: { _ in }))
    }
}
