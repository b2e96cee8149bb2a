import ArgumentParser
import DrawbridgeClient
import Foundation

/// Says who is signed in, as the provider knows it now.
struct WhoAmICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Ask the provider who is signed in in this app.",
        usage: "drawbridge-app whoami [<options>]")

    @OptionGroup var options: AppOptions

    @Flag(help: "Print one line of JSON.")
    var json = false

    func run() async throws {
        try await options.run { drawbridge throws(ClientError) in
            let person = try await drawbridge.person()
            try printResult(json ? Self.line(person, drawbridge.configuration) : Self.sentence(person))
        }
    }

    /// `Alice, user name alice, subject L46hXiBt9borTRyCtUFgyA`.
    private static func sentence(_ person: Person) -> String {
        let facts = [person.name, person.username.map { "user name \($0)" }, "subject \(person.subject)"]
        return plain(facts.compactMap(\.self).joined(separator: ", "))
    }

    private static func line(_ person: Person, _ configuration: ClientConfiguration) -> String {
        var members = ["sub": person.subject, "app": configuration.clientID, "issuer": configuration.issuer.text]
        members["name"] = person.name
        members["preferred_username"] = person.username
        members["email"] = person.email
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(members)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
