import OAuth2

/// A web origin as browsers serialise it, `https://host[:port]` (RFC 6454 §6.1): no path, no user, no query.
package struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The serialised form; append a path to it.
    package let description: String
    package let isSecure: Bool
    /// Whether the host is `localhost`, `127.0.0.1` or `[::1]`, where plain HTTP stays on the machine.
    package let isLoopback: Bool
    /// Without the port. Cookies know no ports, so two origins of one host share theirs (RFC 6265 §8.5).
    package let host: String

    /// Accepts lower-case `http` or `https`, a DNS name, an IPv4 address or a bracketed IPv6 address, and a port that
    /// is not the scheme's own.
    ///
    /// Only the serialised form is accepted, never mended: what an operator wrote and what a browser sends in
    /// `Origin` must be the same bytes.
    package init?(_ text: String) {
        self.init(kept: text)
        guard Self.isAsSent(host[...]) else { return nil }
    }

    /// Also with a host as no browser sends it: such were taken once, and what is stored has to be read.
    package init?(kept text: String) {
        let rest: Substring
        if text.hasPrefix("https://") {
            rest = text.dropFirst(8)
            isSecure = true
        } else if text.hasPrefix("http://") {
            rest = text.dropFirst(7)
            isSecure = false
        } else {
            return nil
        }
        guard let (host, port) = Self.split(rest), Self.isHost(host) else { return nil }
        if let port {
            guard let number = Int(port), (1...65_535).contains(number), String(number) == port,
                number != (isSecure ? 443 : 80)
            else { return nil }
        }
        isLoopback = host == "localhost" || host == "127.0.0.1" || host == "[::1]"
        self.host = String(host)
        description = text
    }

    /// Host and port, as a browser writes them in `Host` (RFC 9110 §7.2).
    package var authority: Substring { description.dropFirst(isSecure ? 8 : 7) }

    /// The ways to write it in `Host`, in lower case: the scheme's own port may be written out (RFC 9110 §4.2.3).
    package var authorities: [String] {
        let name = authority.lowercased()
        return authority == host ? [name, "\(name):\(isSecure ? 443 : 80)"] : [name]
    }

    private static func split(_ authority: Substring) -> (host: Substring, port: Substring?)? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let host = authority[...end]
            let rest = authority[authority.index(after: end)...]
            if rest.isEmpty { return (host, nil) }
            return rest.first == ":" ? (host, rest.dropFirst()) : nil
        }
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts[0], parts.count == 2 ? parts[1] : nil)
    }

    private static func isHost(_ host: Substring) -> Bool {
        if host.hasPrefix("[") {
            return NetworkAddress(String(host.dropFirst().dropLast()))?.family == .v6
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return host.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy {
                        ASCII.isLowercase($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                    }
            }
    }

    private static func isAsSent(_ host: Substring) -> Bool {
        if host.hasPrefix("[") { return isAddress(host.dropFirst().dropLast(), of: .v6) }
        guard let last = host.split(separator: ".").last else { return false }
        return isNumber(last) ? isAddress(host, of: .v4) : true
    }

    /// Browsers shorten an IPv6 address, and read four numbers into every name that ends in one.
    private static func isAddress(_ text: Substring, of family: NetworkAddress.Family) -> Bool {
        guard let address = NetworkAddress(String(text)), address.family == family else { return false }
        return address.description == text
    }

    /// Whether a browser takes a name that ends in this label for an IPv4 address (URL Standard, "ends in a number").
    private static func isNumber(_ label: Substring) -> Bool {
        if label.utf8.allSatisfy(ASCII.isDigit) { return true }
        return label.hasPrefix("0x") && label.dropFirst(2).utf8.allSatisfy(ASCII.isLowercaseHex)
    }
}

extension WebOrigin {
    /// What to write in place of a text that is an origin in all but its spelling, as what something must be; `nil`
    /// where something else is wrong with it.
    package static func respelling(of text: String) -> String? {
        var origin = text.lowercased()
        var faults = origin == text ? [] : ["in lower case"]
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
        where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            origin.removeLast(port.count)
            faults.append("without the default port \(port)")
        }
        guard !faults.isEmpty, WebOrigin(origin) != nil else { return nil }
        return "written \(faults.joined(separator: " and ")), as browsers send it: \(origin)"
    }
}

/// An absolute web address that a client registers: `https`, or `http` on loopback; no user, no fragment.
///
/// Read by bytes: nothing is mended, so what is registered is what is called.
package struct WebURL: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    package let origin: WebOrigin

    package init?(_ text: String) {
        self.init(kept: text)
        guard WebOrigin(origin.description) != nil else { return nil }
    }

    /// As ``WebOrigin/init(kept:)`` takes its origin.
    package init?(kept text: String) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy(ASCII.isURIByte),
            let authority = text.dropped(prefix: "https://") ?? text.dropped(prefix: "http://")
        else { return nil }
        let end = authority.firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
        guard let origin = WebOrigin(kept: String(text[..<end])), origin.isSecure || origin.isLoopback else {
            return nil
        }
        self.origin = origin
        description = text
    }
}

extension String {
    fileprivate func dropped(prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}
