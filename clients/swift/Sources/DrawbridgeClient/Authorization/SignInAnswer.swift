/// What the browser brought back (RFC 6749 §4.1.2), once every check of RFC 8252 and RFC 9207 has passed.
struct SignInAnswer: Sendable {
    let code: Redacted<String>

    /// How Drawbridge describes a consent that was not given.
    private static let declined = "the user declined"

    /// - Parameter address: the whole address that the browser opened.
    /// - Throws: ``ClientError/answer(_:)``; ``ClientError/cancelled`` when the person said no;
    ///   ``ClientError/refused(_:)`` for another error of the provider.
    init(_ address: String, to request: SignInRequest) throws(ClientError) {
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let expected = request.redirect.text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0] == expected[0], Self.keeps(expected.dropFirst().first ?? "", in: parts.dropFirst().first ?? "")
        else { throw .answer(.otherAddress) }
        guard parts.count == 2, !parts[1].contains("#"), let parameters = FormEncoding.decode(parts[1]) else {
            throw .answer(.malformed)
        }
        func single(_ name: String) throws(ClientError) -> String? {
            let found = parameters.filter { $0.name == name }
            guard found.count < 2 else { throw .answer(.malformed) }
            return found.first?.value
        }
        guard let state = try single("state"), ConstantTime.equal(state, request.state) else {
            throw .answer(.foreignState)
        }
        // Before anything else is read: an answer of another provider must not even make us show its error.
        let issuer = try single("iss")
        guard issuer == request.issuer.text || (issuer == nil && !request.needsIssuer) else {
            throw .answer(.otherIssuer)
        }
        let code = try single("code")
        if let error = try single("error") {
            guard code == nil else { throw .answer(.noCode) }
            let explanation = try single("error_description")
            // A reason other than the person's own no is passed on: there may be something to do about it.
            if error == "access_denied", explanation == nil || explanation == Self.declined { throw .cancelled }
            throw .refused(OAuthRefusal(code: error, explanation: explanation))
        }
        guard let code, !code.isEmpty else { throw .answer(.noCode) }
        self.code = Redacted(code)
    }

    /// Whether the redirect address's own query came back: the answer is appended to it (RFC 6749 §3.1.2), and the
    /// whole address is compared (RFC 8252 §8.10).
    private static func keeps(_ own: Substring, in query: Substring) -> Bool {
        guard let last = own.utf8.last else { return true }
        return "\(query)&".utf8.starts(with: (last == UInt8(ascii: "&") ? "\(own)" : "\(own)&").utf8)
    }
}
