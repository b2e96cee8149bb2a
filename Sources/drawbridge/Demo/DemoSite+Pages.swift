import Bridge
import BridgeHTTP
import Hummingbird
import OAuth2

// The protected pages: who is signed in, or how to.
extension DemoSite {
    @Sendable func contacts(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        try await protectedPage("Contacts", Self.contactList, current: "/contacts", request, context)
    }

    @Sendable func legacyContacts(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let note = "<p class=\"quiet\">The same page at the address that an older app knows.</p>"
        return try await protectedPage(
            "Contacts", note + Self.contactList, current: "/user/contacts/index.php", request, context)
    }

    @Sendable func account(_ request: Request, context: BridgeRequestContext) async throws -> Response {
        let text = "<p>Everything below <code>/account/</code> may be landed on; this page is one of those.</p>"
        return try await protectedPage("Profile", text, current: "/account/profile", request, context)
    }

    @Sendable func policy(_ request: Request, context: BridgeRequestContext) -> Response {
        let main = """
            <section class="card">
            <h1>Your data</h1>
            <p>This website is a demo. What you tell it stays in its own database, where whoever started it can read
            it.</p>
            <div class="actions row"><a class="button second" href="/">Back</a></div>
            </section>
            """
        return page("Your data", main, request, context)
    }

    private func protectedPage(
        _ title: String, _ content: String, current: String, _ request: Request, _ context: BridgeRequestContext
    ) async throws -> Response {
        guard let session = try await session(request) else {
            return signedOut(title, current, request, context)
        }
        let subject = Self.escape(session.subject.rawValue)
        let initial = Self.escape(String(session.subject.rawValue.prefix(1)).uppercased())
        let main = """
            <div class="demo two">
            <section class="card">
            <nav class="tabs" aria-label="Pages">\(Self.tabs(current))</nav>
            <h1>\(title)</h1>
            \(content)
            </section>
            <aside class="card">
            <div class="who"><span class="face">\(initial)</span>
            <p>Signed in as <strong id="subject">\(subject)</strong></p></div>
            <dl class="facts">
            <dt>How</dt><dd>\(Self.opening(of: session))</dd>
            <dt>Since</dt><dd>\(Self.clock(session.createdAt))</dd>
            <dt>Ends if unused</dt><dd>\(Self.clock(session.idleExpiresAt))</dd>
            <dt>Ends at last</dt><dd>\(Self.clock(session.expiresAt))</dd>
            <dt>Session</dt><dd><code>\(Self.escape(session.id.rawValue))</code></dd>
            </dl>
            <form method="post" action="/session/logout" class="actions">
            <button class="button second" type="submit">Sign out</button></form>
            </aside>
            </div>
            """
        return page(title, main, request, context, scripts: DemoScript.paths)
    }

    private func signedOut(
        _ title: String, _ path: String, _ request: Request, _ context: BridgeRequestContext
    ) -> Response {
        let signIn = "\(SignInPath.page)?redirect=\(PercentEncoding.encode(path))"
        let main = """
            <section class="card">
            <h1>\(title)</h1>
            <p>This page is for people who are signed in. In this browser nobody is.</p>
            <div class="actions row"><a class="button" id="sign-in" href="\(signIn)">Sign in</a>
            <a class="button second" href="/">Sign in with the app</a></div>
            </section>
            """
        return page(title, main, request, context, scripts: DemoScript.paths)
    }

    private static func opening(of session: WebSession) -> String {
        let app = session.appClientID.map { " from <code>\(escape($0.rawValue))</code>" } ?? ""
        return "by <code>\(session.opening.rawValue)</code>\(app)"
    }

    /// Day and second, for people; the exact instant for programs.
    private static func clock(_ instant: Timestamp) -> String {
        let text = instant.rfc3339
        return "<time datetime=\"\(text)\">\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC</time>"
    }

    private static func tabs(_ current: String) -> String {
        [
            ("/", "Demo"), ("/contacts", "Contacts"), ("/account/profile", "Profile"),
            ("/user/contacts/index.php", "Contacts, old address"),
        ].map { path, name in
            "<a href=\"\(path)\"\(path == current ? " aria-current=\"page\"" : "")>\(name)</a>"
        }.joined(separator: "\n")
    }

    private static let contactList: String = {
        let people = [
            ("Ada Lovelace", "Analytical engines"), ("Grace Hopper", "Compilers"), ("Edsger Dijkstra", "Short paths"),
            ("Barbara Liskov", "Substitution"),
        ]
        let items = people.map { name, about in
            "<li><span class=\"face\">\(name.prefix(1))</span><span>\(name)<small>\(about)</small></span></li>"
        }
        return "<ul class=\"list\">\(items.joined(separator: "\n"))</ul>"
    }()
}
