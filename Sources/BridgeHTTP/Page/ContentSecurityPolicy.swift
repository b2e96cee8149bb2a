/// The policy of our pages: nothing inline, nothing from elsewhere (contract §11).
struct ContentSecurityPolicy: Sendable {
    let value: String

    /// For a page whose forms are answered here.
    static let usual = ContentSecurityPolicy(forms: "form-action 'self'; ")

    /// For a page whose form leads to a website or an app. Chromium holds each redirect after a form against
    /// `form-action`, those of the website's own pages as well, and no source stands for any app's scheme (ADR-0045).
    static let leadingOut = ContentSecurityPolicy(forms: "")

    /// For a page that an answer with tokens comes to: nothing but our script and pictures, and no form.
    static let ofScriptAlone = ContentSecurityPolicy(
        value: "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")

    private init(value: String) { self.value = value }

    /// - Parameter forms: the directive about forms, which nothing stands in for where it is absent.
    private init(forms: String) {
        value =
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
            + "font-src 'self'; \(forms)base-uri 'none'; frame-ancestors 'none'"
    }
}
