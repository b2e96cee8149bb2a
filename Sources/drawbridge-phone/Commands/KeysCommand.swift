import ArgumentParser
import SelfIssuedIdP

/// Shows and forgets keys.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys", abstract: "List, show or forget the keys of websites.",
        subcommands: [List.self, Show.self, Forget.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List websites, each with the kind of its key and the thumbprint it knows you by.")
        @OptionGroup var options: StoreOptions

        func run() async throws {
            let (keys, unreadable) = try await ExitStatus.after { () async throws(PhoneRefusal) in
                (try options.keys().list(), try options.keys().unreadable())
            }
            for key in keys {
                let sealed = key.isSealed ? "under a PIN" : "without a PIN"
                try Terminal.write(
                    "\(PlainText.line(key.website))  \(key.algorithm.rawValue)  \(key.thumbprint)  \(sealed)")
            }
            let ends = unreadable.map { ExitStatus.store.end(saying: "\($0)") }
            if let end = ends.first { throw end }
            if keys.isEmpty { Terminal.say("No website has a key here.") }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print one website's public key and thumbprint, as JSON.",
            usage: "drawbridge-phone keys show [<options>] <website>")
        @OptionGroup var options: StoreOptions
        @Argument(help: "The website: its client_id, or any address of it.") var website: String

        func run() async throws {
            let wanted = try KeysCommand.website(website)
            let kept = try await ExitStatus.after { () async throws(PhoneRefusal) in try options.keys().kept(wanted) }
            guard let key = kept else {
                throw ExitStatus.store.end(saying: "\(wanted) has no key here")
            }
            try Terminal.write(
                JSONValue.object([
                    "website": .string(key.website), "alg": .string(key.algorithm.rawValue), "jwk": key.jwk,
                    "thumbprint": .string(key.thumbprint), "created_at": .integer(key.createdAt),
                    "pin": .bool(key.isSealed),
                ]).text)
        }
    }

    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a website's key: to that website you are somebody new from now on.",
            usage: "drawbridge-phone keys forget [<options>] <website>")
        @OptionGroup var options: StoreOptions
        @Argument(help: "The website: its client_id, or any address of it.") var website: String

        func run() async throws {
            let wanted = try KeysCommand.website(website)
            let wasThere = try await ExitStatus.after { () async throws(PhoneRefusal) in
                try options.keys().forget(wanted)
            }
            guard wasThere else { throw ExitStatus.store.end(saying: "\(wanted) has no key here") }
            Terminal.say("The key of \(wanted) is gone.")
        }
    }

    static func website(_ text: String) throws -> Website {
        guard let address = WebAddress(text.hasPrefix("https://") ? text : "https://\(text)") else {
            throw ExitStatus.usage.end(saying: "\(text) is not an address of a website")
        }
        return address.website
    }
}
