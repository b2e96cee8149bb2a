import OAuth2

/// Where a request came from, as far as audit and limits need it.
package struct RequestOrigin: Sendable {
    /// The client's address, after trusted proxies were taken off; `nil` for the command line.
    package let address: NetworkAddress?
    private var texts: Texts
    package let requestID: String
    /// What the browser showed to be known by at the sign-in, if it did (``KnownBrowsers``).
    package var recognition: Secret<String>?

    package init(address: NetworkAddress?, userAgent: String?, requestID: String) {
        self.address = address
        texts = .sent(userAgent: userAgent)
        self.requestID = requestID
    }

    /// At most ``userAgentLimit`` bytes of it; ``redactedUserAgent`` where it has a secret in it, such as that of an
    /// app that names its login link there (contract §8).
    ///
    /// Looked through when it is asked for: many requests, such as checks, never write it down.
    package var userAgent: String? {
        switch texts {
        case .sent(let userAgent): userAgent.map(Self.asWritten)
        case .written(let userAgent, _): userAgent
        }
    }

    /// The address as events have it.
    package var addressText: String? {
        switch texts {
        case .sent: address?.description
        case .written(_, let address): address
        }
    }

    /// This origin for a request that writes several events: looked through now, and by none of them again.
    package var examined: RequestOrigin {
        var examined = self
        examined.texts = .written(userAgent: userAgent, address: addressText)
        return examined
    }

    private static func asWritten(_ userAgent: String) -> String {
        guard !StrayedSecret.isIn(Array(userAgent.utf8)[...]) else { return redactedUserAgent }
        return userAgent.prefix(bytes: userAgentLimit)
    }

    /// What events say of the sender.
    private enum Texts {
        case sent(userAgent: String?)
        case written(userAgent: String?, address: String?)
    }

    /// What stands for a user agent with a secret in it.
    package static let redactedUserAgent = StrayedSecret.redacted

    /// What limits count by, the command line among it: ``NetworkAddress/limitNetwork`` where there is an address.
    var networkName: String { address?.limitNetwork.description ?? "local" }

    /// Bytes, not characters: one character may have any number of them.
    package static let userAgentLimit = 512
}

extension String {
    /// The longest beginning of whole Unicode scalars that fits.
    fileprivate func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { utf8.formIndex(before: &end) }
        return String(self[..<end])
    }
}

/// A request's id: the time in 48 bits, then 72 random bits; 20 characters.
///
/// The time stands first so that the audit events of a request are found without an index of request ids, which every
/// event would have to be written to.
package enum RequestID {
    package static func make(at now: Timestamp, random: RandomSource) -> String {
        random.text(9, after: now)
    }

    /// When the request with this id began; `nil` for an id of another's making.
    package static func time(of id: String) -> Timestamp? {
        guard id.utf8.count == 20, let bytes = Base64URL.decode(id), bytes.count == 15 else { return nil }
        return Timestamp(leading: bytes)
    }
}
