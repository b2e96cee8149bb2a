import ArgumentParser
import Bridge
import OAuth2

extension ExplainCommand {
    /// What a phone's answer would come to.
    struct SelfIssued: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "self-issued",
            abstract: "Would this self-issued ID token be taken, and which check decides?",
            discussion: """
                Reads the ID token from standard input, or the whole answer as a phone puts it into the \
                fragment, and prints {"passes":…,"reason":…,"rule":…,"steps":[…]}. Exit status 0 when it passes, \
                1 when not.

                Example:
                  drawbridge explain self-issued --config drawbridge.yaml \\
                      --nonce n-0S6_WzA2Mj < token.txt
                """)

        @OptionGroup var options: ConfiguredStorageOptions

        @Option(help: "The nonce that the phone was sent. Without it the token's nonce is not judged.")
        var nonce: String?

        func run() async throws {
            let text = try StandardInput.requiredToken(behind: "#")
            // What cannot be decoded holds no token, and is judged as that.
            let form = text.contains("=") ? text : "id_token=\(text)"
            let answer = (try? FormParameters(parsing: form.utf8)) ?? FormParameters.none
            guard let configuration = try options.settings.load().selfIssued.configuration else {
                throw CommandError("\(SelfIssuedSettings.enabled.key.name) is false: no such token is taken.")
            }
            let explanation = try await options.storage.reading {
                try await SelfIssuedExplainer(configuration: configuration, storage: $0, time: .system)
                    .explain(answer, nonce: nonce)
            }
            try StandardOutput.answer(explanation.json)
            if !explanation.passes { throw ExitCode.failure }
        }
    }
}
