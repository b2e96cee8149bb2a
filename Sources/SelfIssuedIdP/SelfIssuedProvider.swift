/// An identity provider in the pocket: signs its owner in at websites with a key for each, and asks only its owner.
///
/// Reads, asks, and acts once. Before the owner has said yes no key is used; when anything is wrong nothing is sent.
public struct SelfIssuedProvider: Sendable {
    private let transport: any WebsiteTransport
    private let store: any KeyStore
    private let consent: any ConsentAsker
    private let profile: Profile
    private let time: TimeSource
    private let random: RandomSource

    /// The longest token: what Drawbridge reads (contract §10), and little enough for an address.
    private static let maximumToken = 16_384

    /// How a link came, and what the owner wishes.
    public struct Options: Sendable {
        /// The form of the answer; `nil` follows the request.
        public var form: AnswerForm?
        /// The kind of a new key, and of the one that is kept, whatever the website wishes for; `nil` follows the
        /// request, and is ES256 when it does not say.
        public var algorithm: KeyAlgorithm?
        /// The link was read from another device's screen. One that has the answer posted counts as such whatever is said
        /// here: the browser that it signs in may be anyone's.
        public var isFromOtherDevice = false

        /// Everything as the request says.
        public init() {}
    }

    /// - Parameter profile: what may be told, if the owner agrees.
    public init(
        transport: any WebsiteTransport, store: any KeyStore, consent: any ConsentAsker, profile: Profile,
        time: TimeSource = .system, random: RandomSource = .system
    ) {
        self.transport = transport
        self.store = store
        self.consent = consent
        self.profile = profile
        self.time = time
        self.random = random
    }

    /// Answers a link.
    /// - Returns: what to open in the browser, if anything.
    /// - Throws: why nothing was sent, or why the website did not take what was posted to it.
    public func handle(_ text: String, _ options: Options = Options()) async throws(PhoneRefusal) -> Outcome {
        let link = try AuthorizationLink(text)
        let request = try await read(link, options)
        let (offers, missing) = ClaimOffer.offers(
            for: request.claims, provenBy: request.proof, from: profile, at: time.seconds())
        let question = ConsentQuestion(
            request: request, isFirstTime: try await !store.holds(request.website),
            isFromOtherDevice: options.isFromOtherDevice || request.delivery.isElsewhere, offers: offers,
            missing: missing)
        guard case .granted(let numbers) = await consent.ask(question) else {
            return try await deliver([("error", request.form.declined)], of: request, by: nil)
        }
        let key = try await key(for: request, options)
        let tokens = AnswerTokens(
            request: request, key: key, told: offers.filter { numbers.contains($0.id) }, now: time.seconds(),
            random: random)
        let answer = try tokens.parameters()
        guard answer.allSatisfy({ $0.value.utf8.count <= Self.maximumToken }) else {
            throw PhoneRefusal(
                .answerTooLong, "the answer is longer than websites read; take off some of what others say of you")
        }
        return try await deliver(answer, of: request, by: key)
    }

    /// Proves the key of a website to an app that is signed in there, which has the key linked to its user's account.
    /// Nothing is sent: the app takes the proof along.
    /// - Parameters:
    ///   - code: from the app.
    ///   - algorithm: the kind of a new key.
    ///   - agree: asks the owner; whether the website has no key yet.
    /// - Returns: the proof, for that website alone and for five minutes; `nil` when the owner said no.
    public func prove(
        for code: LinkCode, _ algorithm: KeyAlgorithm?, agree: (_ isFirstTime: Bool) async -> Bool
    ) async throws(PhoneRefusal) -> Redacted<String>? {
        guard await agree(try await !store.holds(code.website)) else { return nil }
        let key: PhoneKey
        if let kept = try await store.key(of: code.website) {
            key = kept
        } else {
            var new = try PhoneKey(algorithm ?? .es256)
            new.isOwnersChoice = algorithm != nil
            key = try await store.keep(new, for: code.website, at: time.seconds())
        }
        // Neither iss nor sub: it must never pass for an ID token.
        return Redacted(
            try key.sign([
                "aud": .string(code.audience.text), "nonce": .string(code.nonce), "iat": .integer(time.seconds()),
                "sub_jwk": key.publicKey.members,
            ]))
    }

    private func read(_ link: AuthorizationLink, _ options: Options) async throws(PhoneRefusal) -> SelfIssuedRequest {
        guard let address = link.requestAddress else {
            return try RequestReader(
                link: link, request: RequestParameters(link: link.parameters), proof: .returnAddressAlone,
                form: options.form, isFromOtherDevice: options.isFromOtherDevice
            ).read()
        }
        let answer = try await fetch(address, accept: "application/oauth-authz-req+jwt, application/json")
        let file = try RequestFile(answer.body)
        // Before anything else of it counts: who answered must be who it says.
        try check(answer.certificate, speaksFor: file.parameters.text("client_id"))
        switch try file.keySource() {
        case .notNeeded: break
        case .here(let keys): try file.check(keys, at: time.seconds())
        case .at(let address):
            let body = try await fetch(address, accept: "application/jwk-set+json, application/json").body
            try file.check(JSONValue(json: body) ?? .null, at: time.seconds())
        }
        return try RequestReader(
            link: link, request: file.parameters, proof: .certificate, form: options.form,
            isFromOtherDevice: options.isFromOtherDevice
        ).read()
    }

    private func fetch(_ address: WebAddress, accept: String) async throws(PhoneRefusal) -> WebsiteAnswer {
        let answer = try await transport.send(WebsiteRequest(address: address, accept: accept, form: nil))
        guard !(300..<400).contains(answer.status) else {
            throw PhoneRefusal(.redirected, "\(address) leads elsewhere; who asks must answer at its own address")
        }
        guard answer.status == 200 else {
            throw PhoneRefusal(.statusUnexpected, "\(address) answered \(answer.status)")
        }
        guard answer.body.count <= WebsiteRequest.maximumBytes else {
            throw PhoneRefusal(.tooLarge, "\(address) holds more than \(WebsiteRequest.maximumBytes) bytes")
        }
        return answer
    }

    /// The certificate authenticates the client: one of its names is the host of `client_id`.
    private func check(_ certificate: CertificateNames, speaksFor clientID: String?) throws(PhoneRefusal) {
        guard let client = clientID.flatMap(WebAddress.init) else {
            throw PhoneRefusal(.clientIDInvalid, "client_id must be a plain https address")
        }
        guard certificate.cover(client) else {
            throw PhoneRefusal(
                .certificateNameMismatch, "the request says it comes from \(client.host), and its certificate does not")
        }
    }

    private func key(for request: SelfIssuedRequest, _ options: Options) async throws(PhoneRefusal) -> PhoneKey {
        guard let kept = try await store.key(of: request.website) else {
            var key = try PhoneKey(options.algorithm ?? request.algorithm ?? .es256)
            key.isOwnersChoice = options.algorithm != nil
            return try await store.keep(key, for: request.website, at: time.seconds())
        }
        let algorithm = kept.publicKey.algorithm
        // Where the owner once chose the kind, the website's wish is about new keys alone.
        let wished = options.algorithm ?? (kept.isOwnersChoice ? nil : request.algorithm)
        guard wished ?? algorithm == algorithm else {
            throw PhoneRefusal(
                .algorithmUnsupported,
                "\(request.website.name) knows you by a key for \(algorithm.rawValue), and another kind is asked for; "
                    + "choose that one (--alg \(algorithm.rawValue)) to answer with it all the same, or forget the "
                    + "key to be somebody new there")
        }
        return kept
    }

    private func deliver(
        _ answer: [(name: String, value: String)], of request: SelfIssuedRequest, by key: PhoneKey?
    ) async throws(PhoneRefusal) -> Outcome {
        let form = FormEncoding.encode(answer + (request.state.map { [("state", $0)] } ?? []))
        let open: Redacted<String>?
        switch request.delivery {
        case .browser: open = Redacted("\(request.returnAddress.text)#\(form)")
        case .post(let address): open = try await post(form, to: address, of: request, isDecline: key == nil)
        }
        return Outcome(
            isDeclined: key == nil, open: open, website: request.website, thumbprint: key?.publicKey.thumbprint)
    }

    /// Statuses of a website that has read an answer and takes none of it; others may come from a proxy in front of it.
    private static let judgements: Set<Int> = [400, 401, 403, 409, 410, 422]

    /// - Returns: where the website wants the browser to go, if on its own host.
    private func post(
        _ form: String, to address: WebAddress, of request: SelfIssuedRequest, isDecline: Bool
    ) async throws(PhoneRefusal) -> Redacted<String>? {
        let answer = try await transport.send(
            WebsiteRequest(address: address, accept: "application/json", form: Redacted(form)))
        guard !(300..<400).contains(answer.status) else {
            throw PhoneRefusal(.redirected, "\(address) leads elsewhere; the answer was not taken there")
        }
        // Some websites answer a no with an error; it has reached them all the same.
        if isDecline, Self.judgements.contains(answer.status) { return nil }
        guard (200..<300).contains(answer.status) else {
            let name = JSONValue(json: answer.body)?["error"]?.string
            throw PhoneRefusal(
                .statusUnexpected, "\(request.website.name) did not take it: \(name ?? "status \(answer.status)")")
        }
        let next = JSONValue(json: answer.body)?["redirect_uri"]?.string.flatMap(WebAddress.init)
        return next.flatMap { $0.website == request.website ? Redacted($0.text) : nil }
    }
}
