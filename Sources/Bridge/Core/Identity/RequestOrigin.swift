import OAuth2

/// Where a request came from, as far as audit and limits need it.
package struct RequestOrigin: Sendable {
    /// The client's address, after trusted proxies were taken off; `nil` for the command line.
    package let address: NetworkAddress?
    /// As it was sent.
    private let sentUserAgent: String?
    package let requestID: String
    /// What the browser showed to be known by at the sign-in, if it did (``KnownBrowsers``).
    package var recognition: Secret<String>?

    package init(address: NetworkAddress?, userAgent: String?, requestID: String) {
        self.address = address
        sentUserAgent = userAgent
        self.requestID = requestID
    }

    /// At most ``userAgentLimit`` bytes of it; ``redactedUserAgent`` where it has a secret in it, such as that of an
    /// app that names its login link there (contract §8).
    ///
    /// Looked through when it is asked for: many requests, such as checks, never write it down.
    package var userAgent: String? {
        guard let sentUserAgent else { return nil }
        guard !StrayedSecret.isIn(Array(sentUserAgent.utf8)[...]) else { return Self.redactedUserAgent }
        return sentUserAgent.prefix(bytes: Self.userAgentLimit)
    }

    /// What stands for a user agent with a secret in it.
    package static let redactedUserAgent = "<redacted>"

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
