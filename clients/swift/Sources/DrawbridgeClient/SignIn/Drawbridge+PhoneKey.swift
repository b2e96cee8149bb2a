import Foundation

/// What the holder of a phone's key is asked to prove.
public struct PhoneKeyRequest: Sendable, Equatable {
    /// All of it in one line, for the program or library that holds the key.
    public let code: String
    /// Whom the proof must be for.
    public let audience: String
    /// What must stand in it.
    public let nonce: String
    /// The website whose key it is.
    public let clientID: String
    /// Seconds to answer in.
    public let expiresIn: Int
}

// This app as the one that links a phone's key to its user's account (contract §10).
extension Drawbridge {
    /// Links a phone's key to the account of who is signed in: from then on the key signs this user in.
    ///
    /// The operator names the apps that may (`self_issued.linking_apps`), and the user must have signed in in the last five
    /// minutes, with the second factor if there is one.
    /// - Parameter prove: asks the person, who must be present, and has the key signed for; `nil` when the person said no.
    /// - Returns: the key's thumbprint (RFC 7638); `nil` when the person said no.
    /// - Throws: ``ClientError/refused(_:)`` with `insufficient_user_authentication` when the user has to sign in again
    ///   first, `unauthorized_client`, `linked_elsewhere` and the names of docs/self-issued.md.
    public func linkPhoneKey(
        prove: @Sendable (PhoneKeyRequest) async -> Redacted<String>?
    ) async throws(ClientError) -> String? {
        // Linking takes a token of the last minutes.
        try await renewIfPossible()
        let base = "\(configuration.issuer.text)/api/self-issued"
        let asked = try await withSignIn { signIn async throws(ClientError) in
            try await sent(.get("\(base)/link-nonce", bearer: signIn.accessToken), proves: signIn.isBound)
        }
        guard let invitation = asked.decode(Invitation.self) else {
            throw asked.unexpected("the provider did not say what to prove")
        }
        let request = PhoneKeyRequest(
            code: invitation.code, audience: invitation.audience, nonce: invitation.nonce,
            clientID: invitation.clientID, expiresIn: invitation.expiresIn)
        guard let proof = await prove(request) else { return nil }
        guard let json = try? JSONEncoder().encode(["proof": proof.expose()]) else {
            throw .configuration("the proof cannot be sent")
        }
        let linked = try await withSignIn { signIn async throws(ClientError) in
            try await sent(
                .json(String(decoding: json, as: UTF8.self), to: "\(base)/links", bearer: signIn.accessToken),
                proves: signIn.isBound)
        }
        guard let key = linked.decode(Linked.self) else { throw linked.unexpected("no key was named") }
        return key.thumbprint
    }

    private func sent(_ request: ClientRequest, proves: Bool) async throws(ClientError) -> ClientAnswer {
        let answer = try await send(request, proves: proves)
        guard answer.status == 200 || answer.status == 201 else {
            throw failure(answer, of: "the provider")
        }
        return answer
    }

    private struct Invitation: Decodable {
        let nonce: String
        let audience: String
        let clientID: String
        let code: String
        let expiresIn: Int

        private enum CodingKeys: String, CodingKey {
            case nonce
            case audience = "aud"
            case clientID = "client_id"
            case code = "link_code"
            case expiresIn = "expires_in"
        }
    }

    private struct Linked: Decodable {
        let thumbprint: String
    }
}
