import ArgumentParser
import DrawbridgeClient
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Stands in for a web view: prints the cookies that one would be given.
struct CookiesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cookies", abstract: "Print the cookies that sign a web view in.",
        usage: "drawbridge-app cookies [<options>] <url>",
        discussion: """
            A phone app puts these into its web view. Here they are printed, as JSON in the shape of the \
            DevTools command Network.setCookies, for a browser that is driven by a program. They are secrets.

            Example:
              drawbridge-app cookies http://127.0.0.1:8080/account/devices
            """)

    @OptionGroup var options: AppOptions

    @Option(name: .customLong("web-view"), help: "The web view's client id.")
    var webView = "demo-webview"

    @Argument(help: "The page that the web view is to open.")
    var url: String

    func run() async throws {
        try await options.run { drawbridge throws(ClientError) in
            guard let page = URL(string: url) else { throw .configuration("\(url) is not an address") }
            let cookies = try await drawbridge.cookies(for: page, webView: webView)
            try printResult(try Self.text(CookieList(cookies)))
        }
    }

    private static func text(_ list: CookieList) throws(ClientError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(list) else { throw .unexpectedAnswer("the cookies cannot be written") }
        return String(decoding: json, as: UTF8.self)
    }
}
