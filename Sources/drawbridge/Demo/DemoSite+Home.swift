import Bridge
import BridgeHTTP
import Hummingbird
import OAuth2

extension DemoSite {
    /// The start page: what this is, the phone, and the same with curl.
    @Sendable func home(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let state = Self.signedInLine(try await session(request))
        let origin = Self.escape(settings.publicOrigin.description)
        let bearer = Self.escape(app.bearer(for: DemoPerson.all[0]).expose())
        let ask = Self.lines(
            "ask", "Ask for a link",
            """
            BEARER='\(bearer)'

            LOGIN_URL=$(curl -s -X POST \(origin)\(DemoApp.endpoint) \\
                 -H "Authorization: Bearer $BEARER" \\
                 -H 'Content-Type: application/json' -d '{"redirect":"/contacts"}' |
                 sed -n 's/.*"login_url":"\\([^"]*\\)".*/\\1/p'); echo "$LOGIN_URL"
            """)
        let open = Self.lines(
            "open", "Open it",
            """
            curl -s -i -c jar -H 'Sec-Fetch-Mode: navigate' -H 'Sec-Fetch-Dest: document' \\
                 -H 'Sec-Fetch-Site: none' "$LOGIN_URL"
            curl -s -b jar \(origin)/session
            curl -s -i "$LOGIN_URL"      # a second use, from elsewhere, that only looks: asks for a click
            """)
        let main = """
            <div class="demo two">
            <section class="card start">
            <h1>From a signed&#8209;in app to a signed&#8209;in browser</h1>
            <p class="lead">This phone's app is signed in; this website does not know who you are. One tap carries
            the sign-in over, with a token that works once and for 60 seconds.</p>
            <p class="quiet">\(state)</p>
            <nav class="tabs" aria-label="Protected pages">
            <a href="/contacts">Contacts</a><a href="/account/profile">Profile</a>
            <a href="/user/contacts/index.php">Contacts, old address</a></nav>
            \(phoneKey)</section>
            \(Self.phone)
            <section class="card happens">
            <h2>What happens</h2>
            <ol class="road">
            <li><span>The app asks <code>POST \(DemoApp.endpoint)</code> with the bearer token that it has anyway, and
            gets a login URL.</span></li>
            <li><span>It opens that URL in a browser. The browser gets a session of its own, by cookie.</span></li>
            <li><span>You land on the page that the app named, signed in. The token is used up: in
            another browser it is refused, and ends this session.</span></li>
            </ol>
            </section>
            <section class="card below">
            <h2>The same with curl</h2>
            <p>This bearer token names Alice and is good for 10 minutes; reload the page for a fresh one.</p>
            \(ask)
            <p>Open it within 60 seconds, in this browser or with curl as a browser would:</p>
            \(open)
            </section>
            </div>
            """
        return page("Demo", main, request, context, scripts: ["/assets/page.js"])
    }

    /// Lines for a shell, and a button that copies them.
    /// - Parameters:
    ///   - id: of the block in the page.
    ///   - name: what the lines are for.
    private static func lines(_ id: String, _ name: String, _ text: String) -> String {
        """
        <div class="lines"><pre class="wire" id="\(id)" tabindex="0" role="group" aria-label="\(name)"><code>\(text)</code></pre>
        <button class="button second" type="button" data-copies="\(id)" data-done="Copied" hidden>Copy<span
        class="visually-hidden">: \(name)</span></button></div>
        """
    }

    /// The way in with a phone's own key; in plain http, where no phone takes the request, what it needs.
    private var phoneKey: String {
        guard settings.origins.issuer.isSecure else {
            return """
                <p class="quiet">A key on your phone signs in here too, without any provider, once the demo is at https:
                <code>--tls-certificate</code> and <code>--tls-key</code>.</p>

                """
        }
        return """
            <p><a id="self-issued" href="\(SelfIssuedConfiguration.startPath)?return=%2Fcontacts">Sign in with a key on
            your phone</a>, without any provider.</p>

            """
    }

    private static let phone = """
        <section class="phone" aria-label="Your app, on a phone"><div class="screen">
        <div class="speaker"></div>
        <h2>Your app</h2>
        <form method="post" action="/demo/app">
        <fieldset><legend>Signed in as</legend>
        <label class="choice"><input type="radio" name="user" value="alice" checked> <span class="face">A</span> Alice</label>
        <label class="choice"><input type="radio" name="user" value="bob"> <span class="face">B</span> Bob</label>
        </fieldset>
        <label class="choice"><input type="checkbox" name="step" value="show"> Show me the request first</label>
        <div class="push">
        <button class="button" type="submit" name="path" value="/contacts">Open contacts on the web</button>
        <button class="button second" type="submit" name="path" value="/account/profile">Open profile on the web</button>
        </div>
        </form>
        </div></section>
        """

    private static func signedInLine(_ session: WebSession?) -> String {
        guard let session else { return "In this browser nobody is signed in." }
        return "In this browser <strong>\(escape(session.subject.rawValue))</strong> is signed in."
    }
}
