import OAuth2

/// What a browser is asked to have signed. Nothing is stored for it until it is answered.
package struct PasskeyChallenge: Sendable {
    /// How long a page may wait for the answer; as long as its form is good.
    package static let lifetime = FormTokens.lifetime

    /// What the page's form brings back: opens in the browser that it was made for, and in no other.
    package let sealed: String

    /// What is signed. Unpredictable: the seal's nonce is random.
    package var bytes: [UInt8] { SHA256Hash(of: sealed).bytes }

    /// The challenge as a page's script reads it.
    package var text: String { Base64URL.encode(bytes) }

    /// What a store knows it by, once it is answered.
    /// - Parameter now: when. It opens no longer than its lifetime after that; the clocks of the nodes that made it and that
    ///   forget it may differ from this one by as much again.
    func used(at now: Timestamp) -> UsedChallenge {
        UsedChallenge(
            digest: text, madeAfter: ShortLivedSeal.start(of: sealed, lifetime: Self.lifetime) ?? .earliest,
            expiresAt: now + Self.lifetime * 2)
    }
}
