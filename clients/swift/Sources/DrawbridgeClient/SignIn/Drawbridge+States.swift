/// Whether a person is signed in in this app.
public enum SignInState: Sendable, Equatable {
    /// No one is.
    case signedOut
    /// Who is: the subject that the provider knows them by.
    case signedIn(subject: String)

    init(_ signIn: StoredSignIn?) { self = signIn.map { .signedIn(subject: $0.subject) } ?? .signedOut }
}

// What an app's views follow.
extension Drawbridge {
    /// Whether a person is signed in: the current state, and then each change, whatever caused it.
    ///
    /// ```swift
    /// for await state in await drawbridge.states() { isSignedIn = state != .signedOut }
    /// ```
    /// A change that another process made is heard of when this one looks at the store the next time, as every call does.
    /// A slow reader misses what has passed, and never what is so. While the store does not work nothing is said.
    public func states() async -> AsyncStream<SignInState> {
        _ = try? await stored()
        // No wait between the two: what changes from here on is told.
        let id = nextReader
        nextReader += 1
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { reader in
            readers[id] = reader
            if let state { reader.yield(state) }
            reader.onTermination = { [weak self] _ in Task { await self?.forgetReader(id) } }
        }
    }

    private func forgetReader(_ id: Int) { readers[id] = nil }

    func tell(_ signIn: StoredSignIn?) {
        let now = SignInState(signIn)
        guard now != state else { return }
        state = now
        for reader in readers.values { reader.yield(now) }
    }

    /// Carries out a change of what is kept, and tells of it once it is done.
    func changing(
        to signIn: StoredSignIn?, _ write: (SecretItem) async throws(ClientError) -> Void
    ) async throws(ClientError) {
        writes += 1
        defer { writes += 1 }
        try await write(StoredSignIn.item(of: configuration))
        tell(signIn)
    }
}
