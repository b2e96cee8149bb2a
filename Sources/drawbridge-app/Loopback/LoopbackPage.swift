import Crypto
import Foundation

/// What the browser shows at the end. It holds nothing of the sign-in, loads nothing, and takes the code out of the
/// address bar and the history.
enum LoopbackPage: Sendable {
    /// The answer has come.
    case finished
    /// The answer has come, and says no or was not taken.
    case unfinished
    /// No answer of a sign-in that waits here.
    case nothingHere

    /// - Parameter language: of the words.
    func html(in language: LoopbackLanguage) -> String {
        let (title, text) = language.words(for: self)
        return """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
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

    static let headers = [
        ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"), ("Vary", "Accept-Language"),
        ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", policy),
    ]

    /// The colours of the provider's own pages.
    private static let style = """
        :root{color-scheme:light dark;--ground:#f3f5f9;--card:#fff;--line:#d8dee9;--ink:#182033;--quiet:#566079}
        @media(prefers-color-scheme:dark){:root{--ground:#0f1420;--card:#182030;--line:#2d3850;--ink:#eaeef7;--quiet:#a5b0c8}}
        body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--ground);color:var(--ink);\
        font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
        main{max-width:26rem;margin:1rem;padding:2rem;text-align:center;background:var(--card);\
        border:1px solid var(--line);border-radius:16px}
        h1{margin:0 0 .5rem;font-size:1.4rem;line-height:1.25}p{margin:0;color:var(--quiet)}
        """
    private static let script = "history.replaceState(null,\"\",location.pathname)"

    /// Only this style and this script, each by its hash.
    private static let policy =
        "default-src 'none'; style-src '\(hash(style))'; script-src '\(hash(script))'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'"

    private static func hash(_ text: String) -> String {
        "sha256-" + Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
    }
}
