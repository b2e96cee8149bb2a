/// A request that was read and found in order: who asks, for what, and where the answer goes.
public struct SelfIssuedRequest: Sendable {
    /// How sure it is who asks.
    public enum Proof: Sendable {
        /// The request came from the website itself, whose certificate speaks for `client_id`.
        case certificate
        /// Anybody may have written the link; sure is only that the answer goes to `client_id`, and counts for no other
        /// address.
        case returnAddressAlone
    }

    /// Where the answer goes.
    public enum Delivery: Sendable {
        /// Into the browser, in the fragment of the return address.
        case browser
        /// Straight to the website: the browser that waits is on another device.
        case post(WebAddress)

        /// Whether it is not this device's browser that is signed in.
        var isElsewhere: Bool { if case .post = self { true } else { false } }
    }

    /// Who asks, as the website writes itself.
    public let clientID: WebAddress
    /// Where the browser goes.
    public let returnAddress: WebAddress
    /// How sure it is who asks.
    public let proof: Proof
    /// Where the answer goes.
    public let delivery: Delivery
    /// How the answer is written.
    public let form: AnswerForm
    /// What the website wants to know.
    public let claims: [RequestedClaim]
    /// How it introduces itself.
    public let introduction: Introduction
    let nonce: String
    let state: String?
    let algorithm: KeyAlgorithm?

    /// Who gets the answer.
    public var website: Website { clientID.website }

    /// How a website introduces itself. Only words: who it is, is its host.
    public struct Introduction: Sendable {
        /// What it calls itself.
        public let name: String?
        /// A picture on its own host.
        public let logo: WebAddress?
        /// What it says it does with what it gets, on its own host.
        public let policy: WebAddress?
        /// Whom it says one may ask.
        public let contacts: [String]
    }
}
