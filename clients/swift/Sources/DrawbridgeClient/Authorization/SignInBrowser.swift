/// The way through the system's browser and back, as the platform has it.
///
/// On iOS and macOS that is `ASWebAuthenticationSession`, on a desktop a listener on loopback and the default browser.
public protocol SignInBrowser: Sendable {
    /// Gets ready to receive the answer, and says where it will. Called before ``open(_:)``: the first listener gets
    /// the answer.
    func prepare() async throws(ClientError) -> RedirectAddress

    /// Opens the request's address and waits.
    /// - Returns: the whole address that came back.
    /// - Throws: ``ClientError/cancelled`` or ``ClientError/timedOut``.
    func open(_ request: SignInRequest) async throws(ClientError) -> String
}
