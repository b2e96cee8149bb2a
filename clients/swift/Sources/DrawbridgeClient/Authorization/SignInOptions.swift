/// What a sign-in may ask of the provider beyond the usual.
public struct SignInOptions: Sendable {
    /// Whom to suggest on the sign-in page.
    public var loginHint: String?
    /// Ask for the password even if the person is signed in in the browser.
    public var asksAgain: Bool
    /// The least level of assurance, as the provider names it (RFC 9470).
    public var levels: [String]
    /// How many seconds ago the person may have proved who they are.
    public var maximumAge: Int?
    /// Languages of the pages, best first, such as `de en`.
    public var languages: [String]

    /// Asks for nothing unless told so.
    public init(
        loginHint: String? = nil, asksAgain: Bool = false, levels: [String] = [], maximumAge: Int? = nil,
        languages: [String] = []
    ) {
        self.loginHint = loginHint
        self.asksAgain = asksAgain
        self.levels = levels
        self.maximumAge = maximumAge
        self.languages = languages
    }

    var parameters: [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        if let loginHint { parameters.append(("login_hint", loginHint)) }
        if asksAgain { parameters.append(("prompt", "login")) }
        if !levels.isEmpty { parameters.append(("acr_values", levels.joined(separator: " "))) }
        if let maximumAge { parameters.append(("max_age", "\(maximumAge)")) }
        if !languages.isEmpty { parameters.append(("ui_locales", languages.joined(separator: " "))) }
        return parameters
    }
}
