import ArgumentParser
import Bridge
import BridgeHTTP

extension ExplainCommand {
    /// What a bearer that asks for a login token would come to.
    struct Bearer: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Would this access token get a login token, and which check decides?",
            discussion: """
                Reads the token, of this service or of a trusted issuer, from standard input, so that it stays out \
                of the list of processes, and prints {"passes":…,"reason":…,"rule":…,"steps":[…]}. Exit status 0 \
                when it passes, 1 when not. The issuer is asked for its keys, or about the token, as the service \
                would. What is bound to a key is judged without the key's proof, which belongs to a request.

                Example:
                  drawbridge explain bearer --config drawbridge.yaml \\
                      --website shop < token.txt
                """)

        @OptionGroup var options: ConfiguredStorageOptions

        @Option(help: "The website that it is to open. Default: the one that apps open by default.")
        var website: String?

        func run() async throws {
            let token = try StandardInput.requiredToken()
            let explanation = try await options.storage.withRules(try options.settings.load()) { _, wings in
                try await wings.gate.explain(Secret(token), opening: website, by: wings.loginTokens.issuer)
            }
            try StandardOutput.answer(explanation.json)
            if !explanation.passes { throw ExitCode.failure }
        }
    }
}
