/// The policy of our pages: nothing inline, nothing from elsewhere (contract §11).
struct ContentSecurityPolicy: Sendable {
    let value: String

    /// Of a page that an answer with tokens comes to: nothing but our script, and no form.
    static let ofScriptAlone = ContentSecurityPolicy(
        value: "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'none'")

    private init(value: String) { self.value = value }

    /// - Parameter formTargets: origins that a form's answer may redirect to. Chromium applies `form-action` to the
    ///   redirect after the POST as well, so the websites that a redemption lands on must be listed.
    init(formTargets: [String] = []) {
        let targets = (["'self'"] + formTargets).joined(separator: " ")
        value =
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
            + "font-src 'self'; form-action \(targets); base-uri 'none'; frame-ancestors 'none'"
    }
}
