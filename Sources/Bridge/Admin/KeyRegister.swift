import OAuth2

/// A signing key as an administrator sees it.
package struct KeyOverview: Hashable, Sendable {
    /// What a key does now.
    package enum State: String, Sendable {
        /// Verifiers have it, and it will sign from ``signsFrom``.
        case waiting
        case signing
        /// Verifies what it signed, and signs nothing more.
        case verifying
        case retired
    }

    package let id: String
    package let algorithm: KeyAlgorithm
    package let state: State
    package let signsFrom: Timestamp
    package let retiresAt: Timestamp?
    /// When it was retired at once.
    package let withdrawnAt: Timestamp?

    init(_ key: SealedSigningKey, signing: String?, at now: Timestamp) {
        id = key.id
        algorithm = key.algorithm
        state =
            if !key.isLive(at: now) {
                .retired
            } else if !key.hasBegun(at: now) {
                .waiting
            } else {
                key.id == signing ? .signing : .verifying
            }
        signsFrom = key.signsFrom
        retiresAt = key.retiresAt
        withdrawnAt = key.withdrawnAt
    }

    /// What it signs.
    package var use: KeyAlgorithm.Use { algorithm.use }

    /// In the order of algorithms, and of each in the order in which they sign.
    package static func all(in keys: [SealedSigningKey], at now: Timestamp) -> [KeyOverview] {
        KeyAlgorithm.allCases.flatMap { algorithm in
            let signing = KeySchedule(keys, of: algorithm, at: now).signing?.id
            return keys.filter { $0.algorithm == algorithm }.sorted { ($0.signsFrom, $0.id) < ($1.signsFrom, $1.id) }
                .map { KeyOverview($0, signing: signing, at: now) }
        }
    }

    /// What stops working when the key is retired at once; empty for one that was, and for a key of login tokens whose
    /// time is over. One of them that has signed nothing yet has a sentence that says so.
    package var consequences: [KeyConsequence] {
        guard withdrawnAt == nil else { return [] }
        return switch (state, use) {
        case (.waiting, .loginToken): [.nothing]
        case (.retired, .loginToken): []
        // Nothing that is believed was signed by it, but consoles do not say which key signed the token that opened them,
        // and close with every published one.
        case (.waiting, _), (.retired, _): [.consoles]
        case (_, .loginToken): [.links, .pages, .setUpLinks, .forgeries]
        default: [.accessTokens, .consoles, .idTokens, .websites]
        }
    }
}

/// One thing that stops working when a key is retired at once.
package enum KeyConsequence: String, Sendable, CaseIterable {
    case nothing
    case links
    case pages
    case setUpLinks = "setup"
    case forgeries = "forged"
    case accessTokens = "access"
    case consoles
    case idTokens = "id_tokens"
    case websites

    /// A sentence for administrators, in English.
    package var sentence: String {
        switch self {
        case .nothing: "It has signed nothing yet, so nothing stops working."
        case .links:
            "Login links that it signed are refused: those of the last minute. Apps get new ones by asking again."
        case .pages:
            "Open pages have to be started again: sign-in, consent, confirmation and this console's forms are sealed "
                + "with it."
        case .setUpLinks: "Password set-up links and sign-ins that wait for a phone are refused: make new ones."
        case .forgeries:
            "Nobody is signed out. What was opened with forged links is to be looked for and ended by hand."
        case .accessTokens:
            "Access tokens that it signed are refused: those of the last 24 hours at most. Apps and web views renew "
                + "them by themselves, services and administrators ask for new ones."
        case .consoles: "Consoles that a token opened are closed. Nobody else has to sign in again."
        case .idTokens:
            "ID tokens that it signed are unknown at sign-out and between apps until the app has refreshed."
        case .websites:
            "Websites that verify tokens themselves believe the key until they fetch the key set again. Most do within "
                + "five minutes or at the next unknown key; restart those that keep it for longer."
        }
    }
}

// What an administrator does with the signing keys.
extension SigningKeys {
    /// All stored keys of the algorithms that sign here.
    package func keys() async throws -> [KeyOverview] {
        let keys = try await store.signingKeys().keys.filter { algorithms.contains($0.algorithm) }
        return KeyOverview.all(in: keys, at: time.now())
    }

    /// Adds keys that sign when verifiers have them; the old ones verify what they signed for as long as it lives.
    package func rotate(action: AdminAction) async throws {
        do {
            try await rotate(action: action, signingAfter: nil)
        } catch is ClockError {
            throw OAuthError(.conflict, "the clocks of this server and of its database are more than a minute apart")
        }
    }

    /// Retires a key at once, on every node; where it was signing, another one signs from now on.
    /// - Returns: `nil` for a key that there is not.
    package func retire(_ id: String, action: AdminAction) async throws -> KeyRetirement? {
        try await retire([id], action: action)
    }
}
