/// A redirect URI as a client registers it (RFC 8252 §7, §8.4; docs/rules/authorization-request.md R1 to R8).
///
/// Bytes only, no URL parser: what is compared here and what a browser later follows must not be two readings of one
/// text.
package struct RedirectURI: Hashable, Sendable, CustomStringConvertible {
    /// The kinds that RFC 8252 §7 allows a native app; a website has the first alone.
    package enum Kind: Hashable, Sendable {
        /// `https`, a website's or one that an app has claimed.
        case https
        /// `http` on the device itself; any port answers (RFC 8252 §7.3).
        case loopback
        /// A scheme of the app's own (RFC 8252 §7.1).
        case privateUse
    }

    /// The registered text.
    package let description: String
    package let kind: Kind

    /// Takes in a text that may be registered.
    /// - Throws: ``RedirectURIError``, which says what is wrong with it.
    package init(registering text: String, rules: RedirectURIRules) throws(RedirectURIError) {
        kind = try rules.check(Array(text.utf8))
        description = text
    }

    /// Whether a request may ask for this redirect: equal byte for byte, the port of a loopback address excepted.
    package func matches(_ requested: [UInt8]) -> Bool {
        let registered = Array(description.utf8)
        if registered == requested { return true }
        guard kind == .loopback, let ours = LoopbackParts(registered), let theirs = LoopbackParts(requested) else {
            return false
        }
        return ours.prefix == theirs.prefix && ours.rest == theirs.rest
    }

    /// The scheme and host of an `https` redirect, or the scheme of an app's own: what a consent page shows.
    package var host: String {
        switch kind {
        case .https: String(description.dropFirst(8).prefix { $0 != "/" && $0 != ":" })
        case .loopback: "127.0.0.1"
        case .privateUse: String(description.prefix { $0 != ":" })
        }
    }
}

/// A loopback redirect in the three parts of which one is free.
private struct LoopbackParts {
    let prefix: ArraySlice<UInt8>
    let rest: ArraySlice<UInt8>

    /// - Returns: `nil` for any other URI, and for a port that is not valid.
    init?(_ uri: [UInt8]) {
        let length = RedirectURIRules.loopbackPrefixes.first { uri.starts(with: $0.utf8) }?.utf8.count
        guard let length else { return nil }
        prefix = uri[..<length]
        let remainder = uri[length...]
        guard remainder.first == UInt8(ascii: ":") else {
            guard remainder.first == UInt8(ascii: "/") else { return nil }
            rest = remainder
            return
        }
        guard let slash = remainder.firstIndex(of: UInt8(ascii: "/")),
            RedirectURIRules.isPort(remainder[(length + 1)..<slash])
        else { return nil }
        rest = remainder[slash...]
    }
}
