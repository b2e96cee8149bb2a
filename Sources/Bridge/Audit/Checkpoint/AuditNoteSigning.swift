/// Signs what a node says about its audit chain; the stores call it, a key holder implements it.
package protocol AuditNoteSigning: Sendable {
    /// Those whose signatures the signer believes, its own before all; without any it believes none.
    var trustedKeys: [AuditVerifierKey] { get }

    /// - Parameters:
    ///   - node: whose chain.
    ///   - size: the sequence of the last event that is covered.
    ///   - hash: that event's ``AuditRecord/hash``.
    func sign(node: String, size: Int64, hash: String, at: Timestamp) throws -> AuditCheckpoint

    /// - Parameters:
    ///   - through: the last sequence that goes.
    ///   - hash: that event's ``AuditRecord/hash``.
    ///   - retention: how long events have to stay; parts of a second do not count.
    ///   - isAdopted: whether the events were gone before.
    func signCut(
        node: String, through: Int64, hash: String, retention: Duration, isAdopted: Bool, at: Timestamp
    ) throws -> AuditCut
}
