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

    /// What to type when somebody must sign in, with the options of this run: another app, issuer or folder is another
    /// sign-in.
    var signInHint: String {
        let given = [("--issuer", issuer), ("--app", app), ("--store", store), ("--directory", directory)]
        let words = given.flatMap { name, value in value.map { [name, ShellWord.quoted($0)] } ?? [] }
        return "; try: " + (["drawbridge-app", "sign-in"] + words).joined(separator: " ")
    }

    /// Runs a command's work and turns its error into words and a status.
    func run(_ work: (Drawbridge) async throws(ClientError) -> Void) async throws {
        let drawbridge: Drawbridge
        do throws(ClientError) {
            drawbridge = try await self.drawbridge()
        } catch let problem {
            // Nothing was tried yet: what cannot work is what the options say.
            if case .configuration = problem { throw ExitStatus.usage.end(saying: "\(problem)") }
            throw ExitStatus(problem).end(saying: "\(problem)")
        }
        let error: ClientError
        do throws(ClientError) {
            return try await work(drawbridge)
        } catch let problem {
            error = problem
        }
        // The command's own words about this machine, such as a missing browser, are about no setting.
        if case .configuration(let problem) = error { throw ExitStatus(error).end(saying: problem) }
        throw ExitStatus(error).end(saying: "\(error)" + (error == .notSignedIn ? signInHint : ""))
    }

    private func drawbridge() async throws(ClientError) -> Drawbridge {
        let settings = AppSettings(self, environment: ProcessInfo.processInfo.environment)
        return Drawbridge(configuration: try settings.configuration(), store: try await settings.store())
    }
}
