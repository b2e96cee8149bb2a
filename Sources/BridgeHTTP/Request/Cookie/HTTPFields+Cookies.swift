import Bridge
import HTTPTypes

/// Which requests that another site causes bring a cookie along (RFC 6265bis §5.6.7).
enum SameSite: String, Sendable {
    /// Those by which the visitor goes here, as by a link.
    case lax = "Lax"
    /// None.
    case strict = "Strict"
}

extension HTTPFields {
    /// Sets a cookie of this host alone: for all its paths, over TLS and for no domain, as the prefix `__Host-` demands
    /// (RFC 6265bis §4.1.3.2).
    /// - Parameters:
    ///   - lifetime: whole seconds of it count; `nil` for until the browser closes.
    ///   - isForScripts: whether scripts of the host's pages may read it; never a secret.
    mutating func setCookie(
        _ name: StaticString, _ value: String, for lifetime: Duration?, sameSite: SameSite = .lax,
        isForScripts: Bool = false
    ) {
        var line = "\(name)=\(value); Path=/; Secure"
        if !isForScripts { line += "; HttpOnly" }
        line += "; SameSite=\(sameSite.rawValue)"
        if let lifetime { line += "; Max-Age=\(Swift.max(0, lifetime.inMilliseconds / 1000))" }
        append(HTTPField(name: .setCookie, value: line))
    }

    /// Takes such a cookie away.
    mutating func clearCookie(_ name: StaticString, sameSite: SameSite = .lax, isForScripts: Bool = false) {
        setCookie(name, "", for: .zero, sameSite: sameSite, isForScripts: isForScripts)
    }
}
