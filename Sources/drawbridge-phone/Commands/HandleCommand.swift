import ArgumentParser
import Foundation
import SelfIssuedIdP

/// Answers a link.
struct HandleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "handle", abstract: "Answer a website's sign-in link.",
        discussion: """
            Links: openid://authz?request_uri=…, openid://?…, siopv2://?…, and \
            https://<website>/self-issued/open?….

            The profile is a file of yours with what you may tell, and with what others say of you and signed:

              {"claims": {"name": "Alice", "email": "alice@example.com"},
               "statements": ["eyJ…"]}

            You are asked about every single claim. Without an answer, declined.

            Example:
              drawbridge-phone handle 'openid://authz?request_uri=…' --open xdg-open
            """)

    enum Form: String, ExpressibleByArgument, CaseIterable {
        case auto, seed, core, v2
    }

    enum Algorithm: String, ExpressibleByArgument, CaseIterable {
        case es256 = "ES256"
        case rs256 = "RS256"
    }

    @OptionGroup var options: StoreOptions

    @Argument(help: "The link, in quotes.") var link: String

    @Option(help: "Trust the certificate authorities of this PEM file, and no others. Default: the system's.")
    var ca: String?

    @Option(help: "What you may tell. Default: profile.json in the folder of the keys, if there.")
    var profile: String?

    @Flag(help: "Agree to what is ticked, without asking. Of a link that holds the request itself, nothing is.")
    var yes = false

    @Flag(help: "Decline, without asking.") var deny = false

    @Option(help: "Tick these claims as well, separated by commas.") var grant: String?

    @Option(
        help: "Write the answer as of 2012 (seed), of OpenID Connect Core (core) or of SIOPv2 (v2). Default: as asked.")
    var form: Form = .auto

    @Option(name: .customLong("alg"), help: "The kind of a new key: ES256 or RS256. Default: as asked, else ES256.")
    var algorithm: Algorithm?

    @Flag(
        name: .customLong("across-devices"),
        help: "The link was read from another device's screen: post the answer to the website.")
    var acrossDevices = false

    @Option(help: "Give the address with the answer to this command, such as xdg-open.") var open: String?

    @Flag(name: .customLong("print"), help: "Print the address with the answer. Default without --open.")
    var prints = false

    @Flag(
        name: .customLong("allow-private"),
        help: "For tests: websites at private addresses, with any port.")
    var allowsPrivate = false

    @Option(help: "For tests: look this host up here, as NAME=ADDRESS; may be repeated, for one host as well.")
    var resolve: [String] = []

    func validate() throws {
        guard !(yes && deny) else { throw ValidationError("--yes and --deny exclude each other") }
        guard resolve.allSatisfy({ $0.split(separator: "=").count == 2 }) else {
            throw ValidationError("--resolve is NAME=ADDRESS")
        }
    }

    func run() async throws {
        let outcome = try await ExitStatus.after { () async throws(PhoneRefusal) in
            var wishes = SelfIssuedProvider.Options()
            wishes.form = AnswerForm(rawValue: form.rawValue)
            wishes.algorithm = algorithm.flatMap { KeyAlgorithm(rawValue: $0.rawValue) }
            wishes.isFromOtherDevice = acrossDevices
            return try await provider().handle(link, wishes)
        }
        if let address = outcome.open { try await hand(over: address) }
        guard let thumbprint = outcome.thumbprint else {
            throw ExitStatus.declined.end(saying: "you declined; \(outcome.website.name) learns that alone")
        }
        Terminal.say("Answered \(outcome.website.name). It knows you as \(thumbprint).")
    }

    private func provider() throws(PhoneRefusal) -> SelfIssuedProvider {
        let granted = Set((grant ?? "").split(separator: ",").map(String.init))
        return SelfIssuedProvider(
            transport: try WebsiteClient(
                authorities: ca, allowsPrivate: allowsPrivate,
                fixed: Dictionary(grouping: resolve.map { $0.split(separator: "=").map(String.init) }) {
                    $0[0].lowercased()
                }.mapValues { $0.map { $0[1] } }),
            store: options.keys(),
            consent: TerminalConsent(answer: yes ? .yes : deny ? .no : .ask, alsoTicked: granted),
            profile: try readProfile())
    }

    private func readProfile() throws(PhoneRefusal) -> Profile {
        let path = profile ?? options.folder.appending(path: "profile.json").path(percentEncoded: false)
        guard profile != nil || FileManager.default.fileExists(atPath: path) else { return .empty }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw PhoneRefusal(.profileUnusable, "the profile \(path) cannot be read")
        }
        return try Profile(json: Array(bytes))
    }

    private func hand(over address: Redacted<String>) async throws {
        if prints || open == nil { try Terminal.write(address.expose()) }
        guard let open else { return }
        guard await BrowserLauncher(command: open).open(address) else {
            throw ExitStatus.network.end(saying: "\(open) cannot be started; the answer was not delivered")
        }
    }
}
