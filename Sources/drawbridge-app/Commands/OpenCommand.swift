import ArgumentParser
import DrawbridgeClient
import Foundation

/// Opens a page of the website, signed in.
struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open a page of the website in your browser, signed in.",
        usage: "drawbridge-app open [<options>] [<path>]",
        discussion: """
            Asks for a login token and opens its address, which works once and for a minute. It is as good as a \
            password for that minute.

            Example:
              drawbridge-app open /contacts
            """)

    @OptionGroup var options: AppOptions

    @Option(help: "The website's client id. Default: the provider's own choice.")
    var website: String?

    @Flag(name: .customLong("print-url"), help: "Print the address instead of opening it.")
    var printsAddress = false

    @Argument(help: "Where to land, such as /contacts. Default: the website's own choice.")
    var path: String?

    func run() async throws {
        try await options.run { drawbridge throws(ClientError) in
            let link = try await drawbridge.openURL(path: path, on: website)
            let launcher = printsAddress ? BrowserLauncher.printing : .system()
            try await launcher.open(link.url.expose().absoluteString)
            if !printsAddress { say("Opened \(path ?? "the website") in your browser.") }
        }
    }
}
