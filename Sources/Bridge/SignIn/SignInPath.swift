/// Where people sign in, as providers and settings name it too.
package enum SignInPath {
    /// The page that asks for a password.
    package static let page = "/sign-in"
    /// Where a website's proxy sends whoever is not signed in.
    package static let begin = "/session/sign-in"
    /// Ahead of the id of the provider that sends the browser back.
    package static let callback = "\(page)/callback/"
}
