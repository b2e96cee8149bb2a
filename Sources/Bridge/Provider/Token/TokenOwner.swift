import OAuth2

/// Whose a token is that came with a request which was refused, as far as an event may say: nothing in it opens
/// anything.
package struct TokenOwner: Hashable, Sendable {
    /// `nil` for a client's own token.
    package let subject: Subject?
    /// The client that the token was given to; `nil` where that may be no client here.
    package let clientID: ClientID?
    package let sessionID: SessionID?
    /// The id that an access token has.
    package let tokenID: TokenID?
    /// The device that the request is about.
    package let deviceSecretID: DeviceSecretID?
    /// What tells the token from others.
    private let mark: String

    private init(
        subject: Subject?, clientID: ClientID?, sessionID: SessionID?, tokenID: TokenID? = nil,
        deviceSecretID: DeviceSecretID? = nil, mark: String
    ) {
        self.subject = subject
        self.clientID = clientID
        self.sessionID = sessionID
        self.tokenID = tokenID
        self.deviceSecretID = deviceSecretID
        self.mark = mark
    }

    /// The owner of an app's refresh token.
    /// - Parameters:
    ///   - digest: of the token.
    ///   - device: what came along with it.
    package init(of session: AppSession, digest: String, beside device: DeviceSecretID? = nil) {
        self.init(
            subject: session.subject, clientID: session.clientID, sessionID: session.id, deviceSecretID: device,
            mark: [digest, device?.rawValue].compactMap(\.self).joined(separator: " "))
    }

    /// The owner of a website's refresh cookie.
    /// - Parameter digest: of the cookie.
    package init(of session: WebSession, digest: String) {
        self.init(
            subject: session.subject, clientID: session.clientID, sessionID: session.id, mark: digest)
    }

    /// The owner of a device secret.
    package init(of device: DeviceSecret) {
        self.init(
            subject: device.subject, clientID: device.clientID, sessionID: device.sessionID,
            deviceSecretID: device.id, mark: device.id.rawValue)
    }

    /// The owner of an access token of our own.
    package init(_ claims: AccessTokenClaims) {
        self.init(
            subject: claims.sessionID == nil ? nil : claims.subject, clientID: claims.clientID,
            sessionID: claims.sessionID, tokenID: claims.id, mark: claims.id.rawValue)
    }

    /// The owner of a bearer of another issuer, whose clients need not be ours.
    init(_ bearer: BearerIdentity) {
        self.init(
            subject: bearer.subject, clientID: nil, sessionID: bearer.sessionID,
            mark: [bearer.issuer, bearer.subject.rawValue, bearer.sessionID?.rawValue].compactMap(\.self)
                .joined(separator: " "))
    }

    /// The bound of events that say the same of the token, by the client that sent it and the network that it came
    /// from: what came again and again must not hide what another does with it, who may only say that it is that client.
    fileprivate func repeats(_ event: AuditEvent, from origin: RequestOrigin) -> RateLimitKey {
        .repeats(
            of: [mark, event.reason, event.clientID?.rawValue, origin.networkName].compactMap(\.self)
                .joined(separator: " "))
    }
}

extension RefusalLog {
    /// Writes an event about a token that somebody was given: of one kind sixty a minute for each network, and for the
    /// same reason with one token as often as ``RateLimitKey/repeats(of:)`` has it.
    /// - Parameters:
    ///   - owner: whose the token is.
    ///   - kind: the scope in which the network's events are counted.
    func record(
        _ event: AuditEvent, about owner: TokenOwner, as kind: String, from origin: RequestOrigin
    ) async throws {
        try await record(
            event, within: .network(kind, of: origin, perMinute: 60), owner.repeats(event, from: origin))
    }
}

/// A token that is refused, with whose it is.
struct RefusedToken: Error, Sendable {
    let error: OAuthError
    let owner: TokenOwner
}
