/// The policy of our pages: nothing inline, nothing from elsewhere (contract §11).
struct ContentSecurityPolicy: Sendable {
    let value: String

    /// - Parameter formTargets: origins that a form's answer may redirect to. Chromium applies `form-action` to the
    ///   redirect after the POST as well, so the websites that a redemption lands on must be listed.
    init(formTargets: [String] = []) {
        let targets = (["'self'"] + formTargets).joined(separator: " ")
        value =
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
            + "font-src 'self'; form-action \(targets); base-uri 'none'; frame-ancestors 'none'"
    }
}
