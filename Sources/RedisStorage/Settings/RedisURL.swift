import Bridge
import OAuth2

/// What a Redis URL says: `redis[s]://[[user]:password@]host[:port][,host[:port]…][/database]`.
///
/// Read strictly and by hand: a URL that is understood differently than it was meant sends a password to the wrong place.
package struct RedisURL: Sendable {
    /// Which part of a URL cannot be read; the raw value says what it must be instead.
    package enum Malformed: String, Error, Sendable, CustomStringConvertible {
        case scheme = "begin with redis:// or rediss://"
        case character = "have ASCII characters only, none of them a space, \"?\" or \"#\""
        case escape = "have two hexadecimal digits after every %"
        case credentials = "have the credentials as user:password or :password"
        case host = "name a host, an IPv6 address in brackets"
        case port = "have ports from 1 to 65535"
        case database = "end in a database number from 0 to 65535, if in any"

        // Never the URL, which may hold a password.
        package var description: String { "a Redis URL must \(rawValue)" }
    }

    package let usesTLS: Bool
    package let credentials: RedisCredentials?
    package let addresses: [RedisAddress]
    package let database: Int

    package init(_ text: String) throws(Malformed) {
        var rest = text[...]
        if rest.hasPrefix("rediss://") {
            usesTLS = true
            rest = rest.dropFirst(9)
        } else if rest.hasPrefix("redis://") {
            usesTLS = false
            rest = rest.dropFirst(8)
        } else {
            throw .scheme
        }
        guard rest.utf8.allSatisfy({ ASCII.isVisible($0) && $0 != 0x3F && $0 != 0x23 }) else { throw .character }
        if let slash = rest.firstIndex(of: "/") {
            database = try Self.database(rest[rest.index(after: slash)...])
            rest = rest[..<slash]
        } else {
            database = 0
        }
        if let at = rest.firstIndex(of: "@") {
            credentials = try Self.credentials(rest[..<at])
            rest = rest[rest.index(after: at)...]
        } else {
            credentials = nil
        }
        var addresses: [RedisAddress] = []
        for part in rest.split(separator: ",", omittingEmptySubsequences: false) {
            addresses.append(try Self.address(part))
        }
        self.addresses = addresses
    }

    private static func credentials(_ text: Substring) throws(Malformed) -> RedisCredentials {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty else { throw .credentials }
        let user = try unescaped(parts[0])
        return RedisCredentials(user: user.isEmpty ? nil : user, password: Secret(try unescaped(parts[1])))
    }

    private static func address(_ text: Substring) throws(Malformed) -> RedisAddress {
        var host = text
        var port: Substring?
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { throw .host }
            host = text[text.index(after: text.startIndex)..<end]
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { throw .host }
            let after = text[text.index(after: end)...]
            guard after.isEmpty || after.first == ":" else { throw .host }
            port = after.isEmpty ? nil : after.dropFirst()
        } else {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2 else { throw .host }
            host = parts[0]
            port = parts.count == 2 ? parts[1] : nil
            guard host.utf8.allSatisfy(ASCII.isNameByte) else { throw .host }
        }
        guard !host.isEmpty else { throw .host }
        guard let port else { return RedisAddress(host: String(host), port: 6379) }
        guard let number = number(port), number > 0 else { throw .port }
        return RedisAddress(host: String(host), port: number)
    }

    private static func database(_ text: Substring) throws(Malformed) -> Int {
        if text.isEmpty { return 0 }
        guard let number = number(text) else { throw .database }
        return number
    }

    private static func number(_ text: Substring) -> Int? {
        ASCII.decimal(text, digits: 1...5).flatMap { $0 <= 65_535 ? $0 : nil }
    }

    private static func unescaped(_ text: Substring) throws(Malformed) -> String {
        guard let bytes = PercentEncoding.decode(bytes: Array(text.utf8)[...]) else { throw .escape }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension RedisSettings {
    /// Settings as a URL gives them.
    /// - Parameter tls: for `rediss`; `nil` stands for the system's authorities.
    /// - Throws: ``RedisURL/Malformed``, or an error of TLS.
    package init(url text: String, tls: RedisTLS? = nil) throws {
        let url = try RedisURL(text)
        self.init(addresses: url.addresses)
        credentials = url.credentials
        database = url.database
        if url.usesTLS { self.tls = try tls ?? RedisTLS() }
    }
}
