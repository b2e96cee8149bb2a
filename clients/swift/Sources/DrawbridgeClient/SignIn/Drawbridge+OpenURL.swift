import Foundation

/// How a login token travels to the website.
public enum LinkCarrier: Sendable {
    /// In the address: one thing to open, by whatever opens addresses.
    case address
    /// In a header of the first request, for browsers that let an app send one; the address then holds no secret.
    case header
}

// From the app onto the web (contract §3).
extension Drawbridge {
    /// A link that opens a page of the website, signed in by this app's own sign-in.
    /// - Parameters:
    ///   - path: where to land; the website's own choice when absent. The provider checks it against its list.
    ///   - website: its client id; the provider's default website when absent.
    ///   - carrier: how the token travels.
    public func openURL(
        path: String? = nil, on website: String? = nil, carrier: LinkCarrier = .address
    ) async throws(ClientError) -> LoginLink {
        let request = try wish(path, website)
        return try await withSignIn { signIn async throws(ClientError) in
            try await link(request(signIn.accessToken), proves: signIn.isBound, carrier)
        }
    }

    /// A link that opens a page of the website, signed in by the token that the app has of its own backend.
    ///
    /// No sign-in here is needed; the provider has to trust the token's issuer.
    /// - Parameters:
    ///   - path: where to land; the website's own choice when absent. The provider checks it against its list.
    ///   - website: its client id; the provider's default website when absent.
    ///   - bearer: the backend's access token, without a scheme before it.
    ///   - carrier: how the token travels.
    /// - Throws: ``ClientError/refused(_:)`` with `invalid_token` when it has expired: get another and call again.
    public func openURL(
        path: String? = nil, on website: String? = nil, bearer: Redacted<String>, carrier: LinkCarrier = .address
    ) async throws(ClientError) -> LoginLink {
        let text = bearer.expose()
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .configuration("the bearer is empty, or no token: it holds a space or a control character")
        }
        return try await link(wish(path, website)(bearer), proves: false, carrier)
    }

    private nonisolated func wish(
        _ path: String?, _ website: String?
    ) throws(ClientError) -> (Redacted<String>) -> ClientRequest {
        guard let json = try? JSONEncoder().encode(LoginTokenWish(redirect: path, website: website)) else {
            throw .configuration("the path cannot be sent")
        }
        let address = "\(configuration.issuer.text)/api/auth/create-sso-token"
        return { .json(String(decoding: json, as: UTF8.self), to: address, bearer: $0) }
    }

    private func link(
        _ request: ClientRequest, proves: Bool, _ carrier: LinkCarrier
    ) async throws(ClientError) -> LoginLink {
        let answer = try await send(request, proves: proves)
        guard answer.status == 200 else { throw failure(answer, of: "the login token endpoint") }
        guard let given = answer.decode(LoginTokenAnswer.self), given.expiresIn > 0,
            let target = SecureAddress(given.loginURL), !target.isLoopbackHTTP || configuration.issuer.isLoopback
        else { throw answer.unexpected("no login address to be trusted") }
        guard given.hasSoundCode else { throw answer.unexpected("its login code is not six digits") }
        let expiresAt = time.now().addingTimeInterval(given.expiresIn)
        let (address, headers) = carrier == .address ? (given.loginURL, [:]) : try given.inHeader(answer)
        guard let url = URL(string: address) else { throw answer.unexpected("no login address to be trusted") }
        return LoginLink(
            url: Redacted(url), headers: Redacted(headers), expiresAt: expiresAt, code: given.code.map { Redacted($0) })
    }

    private struct LoginTokenWish: Encodable {
        let redirect: String?
        let website: String?

        private enum CodingKeys: String, CodingKey {
            case redirect
            case website = "client_id"
        }
    }

    private struct LoginTokenAnswer: Decodable {
        let loginURL: String
        let expiresIn: Double
        let token: String?
        let code: String?

        private enum CodingKeys: String, CodingKey {
            case loginURL = "login_url"
            case expiresIn = "expires_in"
            case token
            case code = "login_code"
        }

        /// Whether there is no code, or one of six digits.
        var hasSoundCode: Bool {
            guard let code else { return true }
            return code.utf8.count == 6 && code.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }

        /// The address without the token, and the header that carries it (contract §4.1).
        func inHeader(_ answer: ClientAnswer) throws(ClientError) -> (address: String, headers: [String: String]) {
            guard let token, !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw answer.unexpected("no token for the header")
            }
            let parts = loginURL.split(separator: "?", maxSplits: 1)
            let rest = parts.dropFirst().flatMap { $0.split(separator: "&") }.filter { !$0.hasPrefix("token=") }
            let address = String(parts[0]) + (rest.isEmpty ? "" : "?" + rest.joined(separator: "&"))
            guard !address.contains(token) else { throw answer.unexpected("the token is in the path of the address") }
            return (address, ["Drawbridge-Login-Token": token])
        }
    }
}
