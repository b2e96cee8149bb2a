import ArgumentParser
import SelfIssuedIdP

/// Proves a website's key to an app that is signed in there.
struct RegisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register", abstract: "Have a website's key linked to an account that an app is signed in to.",
        usage: "drawbridge-phone register [<options>] --code <code>",
        discussion: """
            The app shows a code. This program shows which website it is of, asks you, and prints a proof that \
            you hold the key. Give it to that app, and to nobody else: whoever brings it while signed in to an \
            account there has your key linked to that account. Nothing is sent from here.

            Example, with an app that asks its website for the code and brings the proof:
              drawbridge-app link-phone --with 'drawbridge-phone register --code'
            """)

    @OptionGroup var options: StoreOptions

    @Option(help: "The code that the app shows, in quotes.") var code: String

    @Flag(help: "Agree, without asking.") var yes = false

    @Option(name: .customLong("alg"), help: "The kind of a new key: ES256 or RS256. Default: ES256.")
    var algorithm: HandleCommand.Algorithm?

    func run() async throws {
        let website = try await ExitStatus.after { () async throws(PhoneRefusal) in try LinkCode(code).website }
        let proof = try await ExitStatus.after { () async throws(PhoneRefusal) in
            let provider = SelfIssuedProvider(
                transport: try WebsiteClient(authorities: nil, allowsPrivate: false, fixed: [:]), store: options.keys(),
                consent: TerminalConsent(answer: .no, alsoTicked: []), profile: .empty)
            return try await provider.prove(
                for: try LinkCode(code), algorithm.flatMap { KeyAlgorithm(rawValue: $0.rawValue) }
            ) { isFirstTime in
                Terminal.say(
                    "An app wants the key of \(website.name) on this phone to sign you in to the account that it uses.")
                if isFirstTime { Terminal.say("There is no key of that website yet; one is made.") }
                if yes { return true }
                let typed = Terminal.ask("Link it? y for yes; anything else declines: ")?.lowercased()
                return ["y", "yes"].contains(typed)
            }
        }
        guard let proof else { throw ExitStatus.declined.end(saying: "you declined; nothing left this phone") }
        try Terminal.write(proof.expose())
    }
}
