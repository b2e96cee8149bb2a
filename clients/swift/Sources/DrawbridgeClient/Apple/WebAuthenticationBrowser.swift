#if canImport(AuthenticationServices)
    public import AuthenticationServices
    public import Foundation

    /// The system's sign-in sheet (RFC 8252 appendix B.1), which shares the cookies of the system's browser.
    @MainActor
    public final class WebAuthenticationBrowser: NSObject, SignInBrowser {
        private let redirect: RedirectAddress
        private let anchor: ASPresentationAnchor
        // Kept while it runs: the system closes the sheet of a session that nothing holds.
        private var session: ASWebAuthenticationSession?

        /// - Parameters:
        ///   - redirect: one with a private-use scheme, which needs no entry in the app's own list of schemes; or, from
        ///     iOS 17.4 and macOS 14.4 on, a claimed https address, whose host's association file has the app under
        ///     `webcredentials`.
        ///   - anchor: the window to show the sheet above.
        public init(redirect: RedirectAddress, above anchor: ASPresentationAnchor) {
            self.redirect = redirect
            self.anchor = anchor
        }

        /// As ``SignInBrowser/prepare()`` says.
        public func prepare() async throws(ClientError) -> RedirectAddress {
            _ = try claim()
            return redirect
        }

        /// As ``SignInBrowser/open(_:)`` says.
        public func open(_ request: SignInRequest) async throws(ClientError) -> String {
            guard let url = URL(string: request.address) else { throw .configuration("the address cannot be opened") }
            let claim = try self.claim()
            let result = await withCheckedContinuation {
                (waiting: CheckedContinuation<Result<String, ClientError>, Never>) in
                let session = sheet(at: url, until: claim) { answer, error in
                    waiting.resume(returning: Self.result(answer, error))
                }
                session.presentationContextProvider = self
                self.session = session
                if !session.start() { session.cancel() }
            }
            session = nil
            return try result.get()
        }

        /// - Throws: for an address that this system does not bring back: the sheet would never end.
        private func claim() throws(ClientError) -> RedirectAddress.Claim? {
            if let claim = redirect.claim, #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) { return claim }
            guard redirect.isPrivateUse else {
                throw .configuration("the system's sign-in sheet does not bring \(redirect) back")
            }
            return nil
        }

        private func sheet(
            at url: URL, until claim: RedirectAddress.Claim?,
            finished: @escaping @Sendable (URL?, (any Error)?) -> Void
        ) -> ASWebAuthenticationSession {
            if let claim, #available(iOS 17.4, macOS 14.4, visionOS 1.1, *) {
                return ASWebAuthenticationSession(
                    url: url, callback: .https(host: claim.host, path: claim.path), completionHandler: finished)
            }
            let scheme = String(redirect.text.prefix { $0 != ":" })
            return ASWebAuthenticationSession(url: url, callbackURLScheme: scheme, completionHandler: finished)
        }

        private nonisolated static func result(_ answer: URL?, _ error: (any Error)?) -> Result<String, ClientError> {
            if let answer { return .success(answer.absoluteString) }
            let isOurs = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
            return .failure(isOurs ? .cancelled : .configuration("the system does not show its sign-in sheet"))
        }
    }

    extension WebAuthenticationBrowser: ASWebAuthenticationPresentationContextProviding {
        /// The window given at the beginning.
        public func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
    }
#endif
