/// A list of scope tokens, each once, in the order in which they were named (RFC 6749 §3.3).
package struct Scope: Hashable, Sendable, CustomStringConvertible {
    package let tokens: [String]

    package static let empty = Scope(tokens: [])

    /// - Parameter tokens: repeated ones are kept once.
    package init(tokens: [String]) {
        var seen: Set<String> = []
        self.tokens = tokens.filter { seen.insert($0).inserted }
    }

    /// Reads tokens that single spaces separate.
    /// - Returns: `nil` outside the ABNF: an empty token, or a character that is not NQCHAR.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(ASCII.isNQCharacter) }) else { return nil }
        self.init(tokens: parts.map { String(decoding: $0, as: UTF8.self) })
    }

    package var isEmpty: Bool { tokens.isEmpty }
    package var description: String { tokens.joined(separator: " ") }

    package func contains(_ token: String) -> Bool { tokens.contains(token) }

    package func isSubset(of other: Scope) -> Bool { tokens.allSatisfy(other.contains) }

    /// What of this is also in `other`, in this order.
    package func intersection(_ other: Scope) -> Scope { Scope(tokens: tokens.filter(other.contains)) }

    package func adding(_ token: String) -> Scope { Scope(tokens: tokens + [token]) }

    package func removing(_ token: String) -> Scope { Scope(tokens: tokens.filter { $0 != token }) }
}

extension Scope {
    /// Makes the request an OpenID Connect one (Core §3.1.2.1).
    package static let openID = "openid"
    /// A refresh token that outlives the browser's sign-in (Core §11).
    package static let offlineAccess = "offline_access"
    /// A device secret (OpenID Connect Native SSO).
    package static let deviceSSO = "device_sso"
    /// Ending every session of its user, in all apps and browsers, on the VA's path of this name.
    package static let revokeAllSessions = "revoke_all_sessions"
    /// The administration API (contract §8).
    package static let admin = "admin"
}
