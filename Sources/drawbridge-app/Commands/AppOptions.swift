import ArgumentParser
import DrawbridgeClient
import Foundation

/// Which app this is, whom it trusts, and where its secrets lie.
struct AppOptions: ParsableArguments {
    @Option(help: "Who signs you in; http only on this machine. Default: the demo's, http://127.0.0.1:8080.")
    var issuer: String?

    @Option(
        help: """
            Which app to be: its client id. Apps share one sign-in, and each keeps its own tokens. Default: demo-app.
            """)
    var app: String?

    @Option(help: "Where secrets are kept: auto, secret-service or file. Default: auto.")
    var store: String?

    @Option(help: "The folder of the secret files. Default: drawbridge-app in your data folder.")
    var directory: String?

    /// Runs a command's work and turns its error into words and a status.
    func run(_ work: (Drawbridge) async throws(ClientError) -> Void) async throws {
        let error: ClientError
        do throws(ClientError) {
            return try await work(drawbridge())
        } catch let problem {
            error = problem
        }
        var words = "\(error)"
        if error == .notSignedIn { words += "; try: drawbridge-app sign-in" }
        throw ExitStatus(error).end(saying: words)
    }

    private func drawbridge() async throws(ClientError) -> Drawbridge {
        let settings = AppSettings(self, environment: ProcessInfo.processInfo.environment)
        return Drawbridge(configuration: try settings.configuration(), store: try await settings.store())
    }
}
