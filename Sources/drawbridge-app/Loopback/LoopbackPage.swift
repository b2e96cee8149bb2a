import Crypto
import Foundation

/// What the browser shows at the end. It holds nothing of the sign-in, loads nothing, and takes the code out of the
/// address bar and the history.
struct LoopbackPage: Sendable {
    let html: String
    let isFound: Bool

    static let finished = LoopbackPage(
        title: "You can go back to the app", text: "This window is no longer needed.")
    static let unfinished = LoopbackPage(
        title: "You are not signed in", text: "Go back to the app: it says what happened. Nothing was changed.")
    static let nothingHere = LoopbackPage(
        title: "Nothing here", text: "No sign-in waits at this address.", isFound: false)

    private init(title: String, text: String, isFound: Bool = true) {
        self.isFound = isFound
        html = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <style>\(Self.style)</style>
            </head>
            <body>
            <main>
            <h1>\(title)</h1>
            <p>\(text)</p>
            </main>
            <script>\(Self.script)</script>
            </body>
            </html>

            """
    }

    var headers: [(String, String)] {
        [
            ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
            ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
            ("Content-Security-Policy", Self.policy),
        ]
    }

    private static let style =
        "body{font:1.1rem/1.5 system-ui,sans-serif;display:grid;place-items:center;min-height:90vh;margin:1rem}"
        + "main{max-width:28rem;text-align:center}h1{font-size:1.5rem}"
    private static let script = "history.replaceState(null,\"\",location.pathname)"

    private static let policy =
        "default-src 'none'; style-src '\(hash(style))'; script-src '\(hash(script))'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'"

    private static func hash(_ text: String) -> String {
        "sha256-" + Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
    }
}
