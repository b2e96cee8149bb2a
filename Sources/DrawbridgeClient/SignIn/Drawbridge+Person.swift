// Who is signed in (OpenID Connect Core §5.3).
extension Drawbridge {
    /// Asks the provider who is signed in in this app.
    public func person() async throws(ClientError) -> Person {
        guard let address = try await provider.metadata().userInfoEndpoint else {
            throw .provider(.endpoint("userinfo_endpoint"))
        }
        let person = try await withAccessToken { token async throws(ClientError) in
            let answer = try await transport.send(.get(address, bearer: token))
            guard answer.status == 200 else { throw answer.failure(of: "userinfo") }
            guard let person = answer.decode(Person.self) else { throw .unexpectedAnswer("userinfo cannot be read") }
            return person
        }
        // An answer about somebody else must not be used (OpenID Connect Core §5.3.2).
        guard try await stored()?.subject == person.subject else { throw .idToken(.subject) }
        return person
    }
}
