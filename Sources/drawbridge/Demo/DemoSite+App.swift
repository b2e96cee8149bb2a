import Bridge
import BridgeHTTP
import HTTPTypes
import Hummingbird
import OAuth2

extension DemoSite {
    /// The tap in the app: asks for a login token and opens its URL, or shows both first.
    @Sendable func openOnTheWeb(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        // Only our own page plays the app: another site's form could otherwise sign a visitor in as a demo user.
        let origin = request.headers[.origin]
        let site = request.headers[.init("Sec-Fetch-Site") ?? .origin]
        let isOurs =
            site == "same-origin" || (site == nil && (origin == nil || origin == settings.publicOrigin.description))
            || origin == settings.publicOrigin.description
        guard isOurs else { throw OAuthError(.forbidden, "the demo's app is used from its own page") }
        let buffer = try await request.body.collect(upTo: 4096)
        let form = try FormParameters(parsing: Array(buffer.readableBytesView))
        guard let person = DemoPerson.all.first(where: { $0.subject == form["user"] }) else {
            throw OAuthError(.invalidRequest, "no such demo user")
        }
        let path = form["path"] ?? "/contacts"
        let exchange = try await app.requestToken(for: person, landingOn: path, context: context)
        guard let loginURL = exchange.loginURL, form["step"] != "show" else {
            return page("What the app sent", exchangePage(exchange, person), request, context)
        }
        return Response(status: .seeOther, headers: [.location: loginURL, .cacheControl: "no-store"])
    }

    private func exchangePage(_ exchange: DemoApp.Exchange, _ person: DemoPerson) -> String {
        let origin = Self.escape(settings.publicOrigin.description)
        let action =
            exchange.loginURL.map {
                """
                <p>An app opens the <code>login_url</code> in the browser. So do you, within 60 seconds:</p>
                <div class="actions row"><a class="button" href="\(Self.escape($0))">Open the login URL</a>
                <a class="button second" href="/">Back</a></div>
                """
            } ?? "<div class=\"actions row\"><a class=\"button second\" href=\"/\">Back</a></div>"
        let wait = exchange.retryAfter.map { seconds in
            "<p>An app asks again after \(Self.escape(seconds)) seconds, and so may you.</p>"
        }
        return """
            <div class="demo">
            <section class="card">
            <h1>What \(Self.escape(person.name))'s app sent, and what it got</h1>
            <h2>Request</h2>
            <pre class="wire" tabindex="0" role="group" aria-label="Request"><code>POST \(origin)\(DemoApp.endpoint)
            Authorization: Bearer \(Self.escape(exchange.bearer.expose()))
            Content-Type: application/json

            \(Self.escape(exchange.requestBody))</code></pre>
            <h2>Answer: \(exchange.status)</h2>
            <pre class="wire" tabindex="0" role="group" aria-label="Answer"><code>\(Self.escape(exchange.answer.replacing(",\"", with: ",\n \"")))</code></pre>
            \(wait ?? "")\(action)
            </section>
            </div>
            """
    }
}
