import OAuth2

/// Takes a browser that is signed in here on to a website of another domain (contract §4.6).
package final class HandOffs: Sendable {
    /// Where browsers ask for it.
    package static let path = "/session/hand-off"
    /// The longest request: a path to land on with every byte percent-encoded, and room for the rest.
    static let maximumLength = 4 * ReturnPath.maximumLength
    /// Two attempts of one session for one website so soon: the website cannot keep its cookies.
    private static let loopWindow = Duration.seconds(10)

    private let issuer: LoginTokenIssuer
    private let tries: any RecentTries

    package init(issuer: LoginTokenIssuer, tries: any RecentTries) {
        self.issuer = issuer
        self.tries = tries
    }

    /// What a page or a website asks for.
    package struct Request: Sendable {
        package let website: String?
        /// The bytes of the path to land on.
        package let redirect: [UInt8]?
        /// What the website put into its browser's cookie before; `nil` for a link that asks for a click.
        package let state: HandOffState?

        package init(website: String?, redirect: [UInt8]?, state: HandOffState?) {
            self.website = website
            self.redirect = redirect
            self.state = state
        }
    }

    /// The outcome of a hand-off to a website of another domain (contract §4.6).
    package enum Outcome: Sendable {
        case link(LoginTokenAnswer)
        /// The website sent the browser back at once.
        case stuck
    }

    /// A link for a page of ours.
    /// - Parameter read: what is asked for; throws what is wrong with the request, once that has counted.
    /// - Throws: as ``LoginTokenIssuer/handOff(reading:from:origin:)``.
    package func link(
        reading read: () async throws -> Request, from session: WebSession, origin: RequestOrigin
    ) async throws -> LoginTokenAnswer {
        try await issuer.handOff(reading: read, from: session, origin: origin)
    }

    /// A link that the browser follows now.
    /// - Parameter request: what is asked for, or what is wrong with the request, which is thrown once it has counted.
    /// - Throws: as ``link(reading:from:origin:)``.
    package func follow(
        _ request: Result<Request, any Error>, from session: WebSession, origin: RequestOrigin
    ) async throws -> Outcome {
        let website = (try? request.get())?.website ?? ""
        let id = Self.id(ofTry: Array("\(session.id.rawValue) \(website)".utf8))
        do {
            return try await issuer.handOff(
                reading: { try request.get() }, from: session, origin: origin,
                goesOn: { try await tries.isFirst(id, within: Self.loopWindow) })
        } catch let error as StorageError {
            // No browser was sent anywhere, so one that comes back did not come from there.
            try? await tries.takeBack(id)
            throw error
        }
    }

    /// A link for a browser that an app's user has let in from another device (ADR-0077).
    /// - Parameters:
    ///   - session: the app's, of which it is known that it may approve sign-ins.
    ///   - scope: what the bearer has that approved.
    ///   - detail: what else there is to say of the approval.
    /// - Returns: `nil` where that app's approval leads to no session at the website, which is recorded.
    /// - Throws: `OAuthError(.rateLimited)`: to wait is enough then; ``StorageError``.
    func link(
        for request: Request, approvedIn session: AppSession, scope: Scope, detail: String?, origin: RequestOrigin
    ) async throws -> LoginTokenAnswer? {
        do {
            return try await issuer.handOff(
                request, approvedIn: session, scope: scope, detail: detail, origin: origin)
        } catch let error as OAuthError where error.code != .rateLimited {
            return nil
        }
    }

    /// Whether some app's approval of a sign-in on another device may lead its browser on to a website.
    package func takesApprovals(atWebsite id: ClientID) -> Bool { issuer.takesApprovals(atWebsite: id) }

    static func id(ofTry pair: [UInt8]) -> TokenID {
        TokenID(rawValue: SHA256Hash(of: pair).base64URLOfHalf)
    }

    /// The path with its query, when it asks for a hand-off and can be read in one way only (``ReturnPath``). The path
    /// to land on, which is in it, may have as many bytes as any other, however long it becomes by its escapes.
    package static func checked(_ text: String?) -> String? {
        guard let text, text.utf8.starts(with: "\(path)?".utf8),
            case .success(let parsed) = ReturnPath.parse(Array(text.utf8), upTo: maximumLength),
            let parameters = try? FormParameters(parsing: (parsed.query ?? "").utf8),
            !parameters.isRepeated("redirect"),
            (parameters.bytes("redirect") ?? []).count <= ReturnPath.maximumLength
        else { return nil }
        return parsed.serialized
    }

    /// What such a path asks for, as it came; `nil` for any other.
    static func parameters(ofPath path: String?) -> FormParameters? {
        guard let path = checked(path), let query = path.firstIndex(of: "?").map({ path[path.index(after: $0)...] })
        else { return nil }
        return try? FormParameters(parsing: query.utf8)
    }
}

extension HandOffs.Request {
    /// What a path asks for that a browser is to follow after its sign-in.
    /// - Returns: `nil` for any other path, and for one that no hand-off would follow.
    package init?(path: String?) {
        guard let parameters = HandOffs.parameters(ofPath: path), !parameters.isRepeated("client_id"),
            !parameters.isRepeated("state"), let website = parameters["client_id"],
            let state = parameters["state"].flatMap({ HandOffState($0) })
        else { return nil }
        self.init(website: website, redirect: parameters.bytes("redirect"), state: state)
    }
}

/// What ties a hand-off to the browser in which it was asked for: a nonce in a cookie of the website that asked.
package struct HandOffState: Hashable, Sendable {
    package static let lengths = 22...256

    private let text: String

    /// - Returns: `nil` for what cannot hold 128 bits, or is not plain text that fits a cookie as it is.
    package init?(_ text: String) {
        guard Self.lengths.contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isUnreserved) else { return nil }
        self.text = text
    }

    /// Base64url of SHA-256: what a token may say of it, since links are seen by many.
    var digest: String { SHA256Hash(of: text).base64URL }
}
