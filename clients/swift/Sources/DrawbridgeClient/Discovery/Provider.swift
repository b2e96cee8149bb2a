/// The provider as the app reaches it: its metadata and keys, read once and kept.
actor Provider {
    private let issuer: IssuerAddress
    private let transport: any HTTPTransport
    private let time: TimeSource
    private var knownMetadata: ProviderMetadata?
    private var knownKeys: KeySet?

    init(issuer: IssuerAddress, transport: any HTTPTransport, time: TimeSource) {
        self.issuer = issuer
        self.time = time
        self.transport = transport
    }

    func metadata() async throws(ClientError) -> ProviderMetadata {
        if let knownMetadata { return knownMetadata }
        let answer = try await transport.send(.get(ProviderMetadata.address(of: issuer)))
        guard answer.status == 200 else { throw failure(answer, of: "discovery") }
        guard let document = answer.decode(ProviderMetadata.Document.self) else {
            throw .provider(.malformed("description"))
        }
        let metadata = try ProviderMetadata(document, of: issuer)
        knownMetadata = metadata
        return metadata
    }

    /// The key of this id. An unknown id makes us look again, once: the provider may have changed its keys.
    func key(_ id: String) async throws(ClientError) -> KeySet.Key? {
        if let key = knownKeys?.key(id) { return key }
        return try await readKeys().key(id)
    }

    /// Before a code, a secret or a person's sign-in is used up for an ID token: that there are no keys to verify it
    /// with is found out while nothing is lost.
    func needKeys() async throws(ClientError) {
        if knownKeys == nil { _ = try await readKeys() }
    }

    private func readKeys() async throws(ClientError) -> KeySet {
        let answer = try await transport.send(.get(metadata().keySetAddress))
        guard answer.status == 200 else { throw failure(answer, of: "the key set") }
        guard let keys = answer.decode(KeySet.self) else { throw .provider(.malformed("key set")) }
        knownKeys = keys
        return keys
    }

    private func failure(_ answer: ClientAnswer, of what: String) -> ClientError {
        answer.failure(of: what, at: time.now(), by: issuer)
    }
}
