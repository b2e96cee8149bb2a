import Synchronization

/// The proof of possession that came with a token request (RFC 9449 §5). It holds, and has yet to be used up.
///
/// A grant uses it up once the credential of the request is found good, and before anything is changed. Anybody can
/// make proofs with keys of their own, and must not fill the memory of them by that alone; and a request that was sent
/// before must change nothing but what limits count.
package final class RequestProof: Sendable {
    private let proof: DPoPVerifier.Unclaimed
    private let verifier: DPoPVerifier
    private let at: Timestamp
    private let isUsedUp = Mutex(false)

    init(_ proof: DPoPVerifier.Unclaimed, verifier: DPoPVerifier, at now: Timestamp) {
        self.proof = proof
        self.verifier = verifier
        at = now
    }

    /// The thumbprint of the key (RFC 7638).
    package var keyThumbprint: String { proof.keyThumbprint }

    /// Uses it up; within its request that may be asked for again.
    /// - Throws: as ``DPoPVerifier/claim(_:at:)``.
    func useUp() async throws {
        guard !isUsedUp.withLock({ $0 }) else { return }
        try await verifier.claim(proof, at: at)
        isUsedUp.withLock { $0 = true }
    }
}
