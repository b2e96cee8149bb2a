package import OAuth2

/// Signs users in whose phone holds a key that stands for them (contract §10; docs/self-issued.md).
///
/// An answer proves a key, and nothing else: what its holder says of themselves finds no account.
package final class SelfIssuedSignIn: Sendable {
    /// `amr`, and the reason in the audit log.
    static let method = Authentication.selfIssued
    /// How long the holder of a key without an account may take to choose.
    package static let choiceLifetime = Duration.seconds(600)
    /// How long another device may take to answer, and its answer waits for the browser.
    static let codeLifetime = Duration.seconds(120)
    /// Bytes of a `state` that is looked for; ours are shorter.
    package static let longestState = 1024
    /// Bytes of a `nonce` that a phone is asked to sign; ours are shorter.
    package static let longestNonce = 256

    /// Where the keys are kept, whose they are, and what is used up.
    package typealias Storage = LinkedKeyStore & UserStore & RequestStore

    package let configuration: SelfIssuedConfiguration
    package let linkedKeys: LinkedKeys
    let transactions: SelfIssuedTransactions
    let storage: any Storage
    private let opener: SessionOpener
    let codes: SecondFactorCheck
    let throttle: SignInThrottle
    private let limits: LimitSettings
    let refusals: RefusalLog
    private let seal: ShortLivedSeal
    let time: TimeSource
    private let random: RandomSource

    /// - Parameter linkedKeys: with the limits, and the log of refusals, that hold for the sign-in too.
    package init(
        configuration: SelfIssuedConfiguration, transactions: any SelfIssuedTransactionStore, linkedKeys: LinkedKeys,
        storage: any Storage, opener: SessionOpener, codes: SecondFactorCheck, throttle: SignInThrottle,
        ring: Reloadable<SecretKeyRing>, time: TimeSource, random: RandomSource = .system
    ) {
        self.configuration = configuration
        self.linkedKeys = linkedKeys
        self.transactions = SelfIssuedTransactions(
            store: transactions,
            seal: ShortLivedSeal(keys: ring, purpose: .phoneSignIn, time: time))
        self.storage = storage
        self.opener = opener
        self.codes = codes
        self.throttle = throttle
        limits = linkedKeys.limits
        refusals = linkedKeys.refusals
        seal = ShortLivedSeal(keys: ring, purpose: .phoneKeyProof, time: time)
        self.time = time
        self.random = random
    }

    /// What a browser is given to ask a phone with.
    package struct Beginning: Sendable {
        package let state: String
        package let nonce: String
    }

    /// Begins a sign-in, or the linking of a key.
    /// - Parameters:
    ///   - errand: what it is for; comes back with the answer.
    ///   - linking: who links the key that answers.
    ///   - browser: the secret of the browser's cookie.
    /// - Throws: ``SelfIssuedRefusal`` past the limit.
    package func begin(
        errand: String, linking: Subject?, browser: OpaqueSecret, origin: RequestOrigin
    ) async throws -> Beginning {
        let now = time.now()
        let keys = limits.widerNetworkKeys("self_issued.network", of: origin, limits.selfIssuedStartPerNetwork)
        try await linkedKeys.admit(keys, origin: origin, at: now)
        let beginning = Beginning(state: random.text(16), nonce: random.text(16))
        try await transactions.keep(
            SelfIssuedTransaction(
                nonce: beginning.nonce, errand: errand, linking: linking, browserDigest: browser.digest,
                codeEndsAt: now + min(Self.codeLifetime, configuration.lifetime),
                expiresAt: now + configuration.lifetime),
            as: beginning.state, at: now)
        return beginning
    }
}

/// What an answer came to.
package enum SelfIssuedOutcome: Sendable {
    case signedIn(OpenedSession, errand: String)
    /// The key belongs to the user who asked.
    case linked
    /// The key has no account, and its holder is to choose.
    /// - Parameter sealed: for ``SelfIssuedSignIn/proof(sealed:)``; carried by the browser.
    case unknown(sealed: String, errand: String)
}

// The answer of a phone, on its way through the browser that asked, or straight from another device.
extension SelfIssuedSignIn {
    /// Takes in an answer that came through a browser.
    /// - Parameters:
    ///   - browser: the secret of its cookie, if it has one.
    ///   - current: the session whose place in it a new one takes, alive or not.
    /// - Throws: ``SelfIssuedRefusal``, which is written down; ``StorageError``.
    package func finish(
        _ answer: FormParameters, browser: OpaqueSecret?, current: WebSession?, origin: RequestOrigin
    ) async throws -> SelfIssuedOutcome {
        let now = time.now()
        return try await linkedKeys.recording(origin: origin, at: now) {
            let (state, seen) = try await unanswered(answer, at: now)
            guard try await useUp("answered \(state)", of: seen) else { throw SelfIssuedRefusal(.replayed) }
            // Taken whatever is wrong with the answer: it was the only one. Not before it is used up, or the browser
            // that waits for an answer from elsewhere would find nothing.
            guard let transaction = try await transactions.take(state, at: now), transaction == seen else {
                throw SelfIssuedRefusal(.stateUnknown)
            }
            guard let browser, ConstantTime.equals(browser.digest.utf8, transaction.browserDigest.utf8) else {
                throw SelfIssuedRefusal(.browserMismatch, subject: transaction.linking)
            }
            let proof = try proof(of: answer, for: transaction, at: now)
            guard transaction.linking == nil else {
                try await link(proof, for: transaction, current: current, origin: origin, at: now)
                return .linked
            }
            return try await resolve(
                proof, errand: transaction.errand, by: .phone, current: current, origin: origin, at: now)
        }
    }

    /// Takes in an answer that a phone posted itself, for a browser on another device to pick up.
    ///
    /// The transaction stays in its place all the while: the browser looks at it every few seconds. And what is looked
    /// up for the checks comes before the answer is used up, so that a phone may post it once more when storage was
    /// away.
    /// - Throws: ``SelfIssuedRefusal``, which is written down; ``StorageError``.
    package func receive(_ answer: FormParameters, origin: RequestOrigin) async throws {
        let now = time.now()
        try await linkedKeys.recording(origin: origin, at: now) {
            guard configuration.crossDevice != .off else { throw SelfIssuedRefusal(.crossDeviceOff) }
            let (state, transaction) = try await unanswered(answer, at: now)
            let proof: SelfIssuedProof
            let account: Account?
            do {
                (proof, account) = try await checkFromElsewhere(answer, to: transaction, at: now)
            } catch let refusal as SelfIssuedRefusal {
                // Whatever is wrong with it, it was the only answer, unless another was first.
                if try await useUp("answered \(state)", of: transaction) {
                    _ = try await transactions.take(state, at: now)
                } else if refusal.isDeclined {
                    // A holder who declined is not told that this ended the sign-in.
                    throw SelfIssuedRefusal(.replayed)
                }
                throw refusal
            }
            // Of several answers at once, one.
            guard try await useUp("answered \(state)", of: transaction) else {
                throw SelfIssuedRefusal(.replayed, thumbprint: proof.thumbprint)
            }
            let answered = SelfIssuedTransaction(
                nonce: transaction.nonce, errand: transaction.errand, linking: nil,
                browserDigest: transaction.browserDigest, codeEndsAt: transaction.codeEndsAt,
                expiresAt: min(transaction.expiresAt, now + Self.codeLifetime), answer: proof,
                answeredAfter: account?.lastEnd ?? Account.noEnd)
            guard try await transactions.replace(with: answered, as: state, at: now) else {
                // Declined by the browser meanwhile.
                throw SelfIssuedRefusal(.stateUnknown, thumbprint: proof.thumbprint)
            }
            try await refusals.record(
                AuditEvent(
                    at: now, type: .selfIssuedAnswered, outcome: .success, reason: proof.form.rawValue,
                    subject: account?.subject, origin: origin, detail: LinkedKeys.detail(proof.thumbprint)))
        }
    }

    /// The transaction that an answer is to, and its `state`; it has none yet.
    private func unanswered(
        _ answer: FormParameters, at now: Timestamp
    ) async throws -> (state: String, transaction: SelfIssuedTransaction) {
        guard let state = answer["state"], state.utf8.count <= Self.longestState,
            let transaction = try await transactions.look(state, at: now), transaction.answer == nil
        else { throw SelfIssuedRefusal(.stateUnknown) }
        return (state, transaction)
    }

    /// What an answer from another device proves, and the account of its key, if it has one.
    private func checkFromElsewhere(
        _ answer: FormParameters, to transaction: SelfIssuedTransaction, at now: Timestamp
    ) async throws -> (SelfIssuedProof, Account?) {
        // Linking is giving away one's account: never to a screen that another may have shown.
        guard transaction.linking == nil else {
            throw SelfIssuedRefusal(.crossDeviceOff, subject: transaction.linking)
        }
        guard now < transaction.codeEndsAt else { throw SelfIssuedRefusal(.stateUnknown) }
        let proof = try proof(of: answer, for: transaction, at: now)
        guard let key = try await linkedKeys.liveKey(proof.thumbprint) else {
            guard configuration.crossDevice == .any else {
                throw SelfIssuedRefusal(.subjectUnknown, thumbprint: proof.thumbprint)
            }
            return (proof, nil)
        }
        return (proof, try await linkedKeys.checkStanding(of: key.subject, with: proof.thumbprint))
    }

    private func proof(
        of answer: FormParameters, for transaction: SelfIssuedTransaction, at now: Timestamp
    ) throws -> SelfIssuedProof {
        let terms = configuration.terms(
            for: transaction.nonce, isLinking: transaction.linking != nil, at: now)
        let token: SelfIssuedToken
        var thumbprint: String?
        do throws(SelfIssuedRefusal.Reason) {
            token = try SelfIssuedToken(answer: answer, terms: terms, proven: { thumbprint = $0 })
        } catch {
            throw SelfIssuedRefusal(
                error, thumbprint: thumbprint, subject: transaction.linking,
                phoneError: answer["error"].flatMap(SelfIssuedPhoneError.init(rawValue:)))
        }
        return SelfIssuedProof(token, isOfAnyApp: token.nonce != transaction.nonce, asking: configuration.claims)
    }

    /// Links the key that answered to the user who asked for it, if they are still signed in.
    private func link(
        _ proof: SelfIssuedProof, for transaction: SelfIssuedTransaction, current: WebSession?, origin: RequestOrigin,
        at now: Timestamp
    ) async throws {
        guard let current, current.isAlive(at: now), current.isOwnSignIn, current.subject == transaction.linking,
            current.authentication.isFresh(within: LinkedKeys.linkFreshness + configuration.lifetime, at: now),
            try await linkedKeys.isStrongEnough(current.authentication, of: current.subject)
        else {
            throw SelfIssuedRefusal(.notSignedIn, thumbprint: proof.thumbprint, subject: transaction.linking)
        }
        try await linkedKeys.naming(current.subject, in: current.id) {
            // The answer went straight in: no page asked whether to keep what the phone told.
            try await linkedKeys.link(proof, told: false, in: current, origin: origin, at: now)
        }
    }

    /// Uses up for good what a transaction led to. Taking it is once as well; this catches a store that forgot that it
    /// gave it away, as a Redis does that fails over without its last writes.
    /// - Returns: `true` for one caller only.
    func useUp(_ name: String, of transaction: SelfIssuedTransaction) async throws -> Bool {
        // Not what is left of its life, which an answer shortens.
        let start = transaction.codeEndsAt - min(Self.codeLifetime, configuration.lifetime)
        return try await storage.useUp("self-issued \(name)", madeAt: start, lifetime: configuration.lifetime)
    }

    /// Signs in whom the key names.
    /// - Parameter lastEnd: the user's by the time of an answer that waited.
    func resolve(
        _ proof: SelfIssuedProof, after lastEnd: Timestamp? = nil, errand: String, by way: SignInMethod,
        current: WebSession?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> SelfIssuedOutcome {
        if let key = try await linkedKeys.liveKey(proof.thumbprint) {
            let opened = try await open(
                key, proof, after: lastEnd, by: way, replacing: current, origin: origin, at: now)
            return .signedIn(opened, errand: errand)
        }
        switch configuration.unknownSubject {
        case .ask:
            let found = ParkedProof(proof: proof, isFromElsewhere: way == .phoneElsewhere)
            return .unknown(sealed: try seal.seal(found.text, lifetime: Self.choiceLifetime), errand: errand)
        case .create:
            let key = try await addAccount(for: proof, told: false, origin: origin, at: now)
            return .signedIn(
                try await open(key, proof, by: way, replacing: current, origin: origin, at: now), errand: errand)
        case .reject: throw SelfIssuedRefusal(.subjectUnknown, thumbprint: proof.thumbprint)
        }
    }

    func open(
        _ key: LinkedKey, _ proof: SelfIssuedProof, after lastEnd: Timestamp? = nil, by way: SignInMethod,
        replacing current: WebSession?, origin: RequestOrigin, at now: Timestamp
    ) async throws -> OpenedSession {
        try await linkedKeys.checkStanding(of: key.subject, with: proof.thumbprint)
        // One factor, whatever unlocked the phone: only the phone says so.
        let authentication = Authentication(
            time: now, acr: AuthenticationLevel.oneFactor.rawValue,
            amr: [Authentication.selfIssued, Authentication.proofOfPossession])
        guard
            let opened = try await opener.open(
                for: key.subject, authentication: authentication,
                provenBy: .key(thumbprint: key.thumbprint, after: lastEnd), replacing: current, by: way,
                origin: origin, at: now)
        else {
            // Unlinked, or the user disabled, at this very moment; or all has ended since the answer.
            _ = try await linkedKeys.liveKey(proof.thumbprint)
            try await linkedKeys.checkStanding(of: key.subject, with: proof.thumbprint)
            throw SelfIssuedRefusal(.stateUnknown, thumbprint: key.thumbprint, subject: key.subject)
        }
        return opened
    }

    /// A new account that nothing is known of but its key. What its holder tells is a note of the key: as the account's
    /// name or address it would go to websites, and some take an address for a person's identity.
    /// - Parameter told: whether to keep what the holder told.
    private func addAccount(
        for proof: SelfIssuedProof, told: Bool, origin: RequestOrigin, at now: Timestamp
    ) async throws -> LinkedKey {
        if let network = origin.address?.limitNetwork {
            let key = RateLimitKey(
                scope: "self_issued.accounts", value: network.description, window: limits.selfIssuedAccountPerNetwork)
            try await linkedKeys.admit([key], origin: origin, at: now)
        }
        let account = Account(subject: Account.makeSubject(random: random), username: nil, createdAt: now)
        let key = LinkedKey(
            thumbprint: proof.thumbprint, subject: account.subject, algorithm: proof.algorithm, origin: .account,
            createdAt: now, told: told ? LinkedKey.Told(proof) : LinkedKey.Told())
        let events = [
            (AuditEventType.userCreated, Self.method), (.selfIssuedLinked, LinkedKey.Origin.account.rawValue),
        ]
        .map { type, reason in
            AuditEvent(
                at: now, type: type, outcome: .success, reason: reason, subject: account.subject, origin: origin,
                detail: LinkedKeys.detail(proof.thumbprint))
        }
        guard try await storage.addAccount(account, issuer: Account.issuer, key: key, events: events) else {
            // Another request with the same key was first.
            guard let known = try await linkedKeys.liveKey(proof.thumbprint) else {
                throw StorageError.corrupt("a key is neither free nor taken")
            }
            return known
        }
        return key
    }
}

// The choice of a holder whose key has no account.
extension SelfIssuedSignIn {
    /// What a browser carries of a proof.
    ///
    /// It does not sign in users who have an account: it makes one, or is linked to one, and the store takes a key
    /// once.
    package func proof(sealed text: String) -> ParkedProof? { seal.open(text).flatMap { ParkedProof($0) } }

    /// "New here": an account of its own for the key.
    /// - Parameter told: whether to keep what the phone told of its holder.
    package func createAccount(
        for parked: ParkedProof, told: Bool, replacing current: WebSession?, origin: RequestOrigin
    ) async throws -> OpenedSession {
        let now = time.now()
        let proof = parked.proof
        return try await linkedKeys.recording(origin: origin, at: now) {
            guard configuration.unknownSubject != .reject, try await linkedKeys.liveKey(proof.thumbprint) == nil else {
                // What the browser carries proves a key of minutes ago: enough for what is new, not for a sign-in.
                throw SelfIssuedRefusal(.stateUnknown, thumbprint: proof.thumbprint)
            }
            let key = try await addAccount(for: proof, told: told, origin: origin, at: now)
            // Linked to an account meanwhile: to sign in there takes an answer of now.
            guard key.origin == .account else {
                throw SelfIssuedRefusal(.stateUnknown, thumbprint: proof.thumbprint)
            }
            return try await open(
                key, proof, by: parked.isFromElsewhere ? .phoneElsewhere : .phone, replacing: current, origin: origin,
                at: now)
        }
    }
}

/// A proof of a key without an account, while its holder chooses. Browsers carry it in a cookie, and keep none of more
/// than 4096 bytes: what the sign-in is for, which may be longer, is not in it.
package struct ParkedProof: Sendable {
    package let proof: SelfIssuedProof
    /// Whether the phone answered on another device than the browser's.
    let isFromElsewhere: Bool

    /// Whether its key may be linked to an account that there is. Anyone who could have answered in its holder's place
    /// would sign in to that account from then on; a new account would be their own.
    package var mayBeLinked: Bool { !isFromElsewhere && !proof.isOfAnyApp }

    init(proof: SelfIssuedProof, isFromElsewhere: Bool) {
        self.proof = proof
        self.isFromElsewhere = isFromElsewhere
    }

    fileprivate init?(_ text: [UInt8]) {
        guard let object = JSONValue.parse(text)?.object, let proof = object["proof"].flatMap({ SelfIssuedProof($0) }),
            let isFromElsewhere = object["elsewhere"]?.bool
        else { return nil }
        self.init(proof: proof, isFromElsewhere: isFromElsewhere)
    }

    fileprivate var text: [UInt8] {
        let json = JSONValue.object(["proof": proof.json, "elsewhere": .bool(isFromElsewhere)])
        return Array(json.text.utf8)
    }
}
