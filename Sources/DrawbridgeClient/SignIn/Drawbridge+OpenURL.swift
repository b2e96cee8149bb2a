import Foundation

// From the app onto the web (contract §3).
extension Drawbridge {
    /// A link that opens a page of the website, signed in.
    /// - Parameters:
    ///   - path: where to land; the website's own choice when absent. The provider checks it against its list.
    ///   - website: its client id; the provider's default website when absent.
    public func openURL(path: String? = nil, on website: String? = nil) async throws(ClientError) -> LoginLink {
        let wish = LoginTokenWish(redirect: path, website: website)
        guard let json = try? JSONEncoder().encode(wish) else { throw .configuration("the path cannot be sent") }
        let address = "\(configuration.issuer.text)/api/auth/create-sso-token"
        let answer = try await withAccessToken { token async throws(ClientError) in
            let answer = try await transport.send(
                .json(String(decoding: json, as: UTF8.self), to: address, bearer: token))
            guard answer.status == 200 else { throw answer.failure(of: "the login token endpoint") }
            return answer
        }
        guard let given = answer.decode(LoginTokenAnswer.self), let target = SecureAddress(given.loginURL),
            !target.isLoopbackHTTP || configuration.issuer.isLoopback, let url = URL(string: given.loginURL)
        else { throw .unexpectedAnswer("no login address to be trusted") }
        return LoginLink(url: Redacted(url), expiresAt: time.now().addingTimeInterval(given.expiresIn))
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

        private enum CodingKeys: String, CodingKey {
            case loginURL = "login_url"
            case expiresIn = "expires_in"
        }
    }
}
