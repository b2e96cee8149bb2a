import Bridge

extension SettingsResolver {
    /// Where apps reach a website its front page knows how to sign in; without one there is our own page alone.
    static func signInURL(_ clients: [Client], _ defaultWebClient: ClientID?) -> String {
        defaultWebClient != nil || clients.contains { !$0.mayReach.isEmpty } ? "/" : "/sign-in"
    }

    mutating func signInURL() -> String? {
        guard let text = optionalText(.signInURL) else { return nil }
        let isPath: Bool
        if case .success = ReturnPath.parse(Array(text.utf8)) { isPath = true } else { isPath = false }
        let isPlainURL = text.hasPrefix("https://") && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 }
        if !isPath, !isPlainURL {
            note(SettingProblem(.signInURL, value: text, at: source(of: .signInURL), "must be a path or an https URL"))
        }
        return text
    }
}
