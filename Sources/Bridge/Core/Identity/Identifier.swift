/// A name that is compared byte for byte and never parsed. Typed, so that one kind cannot be taken for another.
package protocol Identifier: RawRepresentable<String>, Hashable, Sendable, Codable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    init(rawValue: String)
}

extension Identifier {
    package init(stringLiteral value: String) { self.init(rawValue: value) }
    package var description: String { rawValue }

    // Text compares by canonical equivalence; names are compared as the stores do, byte for byte. Two users whose names
    // differ only in how an accent is composed must stay two users.
    package static func == (left: Self, right: Self) -> Bool {
        left.rawValue.hasSameBytes(as: right.rawValue)
    }

    package func hash(into hasher: inout Hasher) {
        var text = rawValue
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// A registered app or website (RFC 6749 §2.2).
package struct ClientID: Identifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// A user, with the prefix of the issuer that named it (contract §1.3).
package struct Subject: Identifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// Stands before the id of a client that acts for itself, so that it can never be taken for a user (RFC 9068 §5).
    package static let clientPrefix = "client:"

    /// A client that acts for itself.
    package init(client: ClientID) { rawValue = Self.clientPrefix + client.rawValue }

    /// Whether this is not a user but a client.
    package var isOfClient: Bool { rawValue.utf8.starts(with: Self.clientPrefix.utf8) }
}

/// A session's public id: it proves nothing, the cookie's secret does.
package struct SessionID: Identifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}

/// A token's `jti`: 128 bits, base64url.
package struct TokenID: Identifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// A new login token's id: the time, which the token says too, then 80 random bits. It need not be hard to guess,
    /// only unique.
    package static func make(at now: Timestamp, random: RandomSource) -> TokenID {
        TokenID(rawValue: random.text(10, after: now))
    }
}

/// A device secret's public id: it proves nothing, the secret does.
package struct DeviceSecretID: Identifier {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
}
