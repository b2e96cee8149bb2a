import OAuth2

/// Something that a node signed about its audit log.
package enum AuditNote: Hashable, Sendable {
    case checkpoint(AuditCheckpoint)
    case cut(AuditCut)

    package var node: String {
        switch self {
        case .checkpoint(let checkpoint): checkpoint.node
        case .cut(let cut): cut.node
        }
    }

    /// The last sequence that it is about.
    package var sequence: Int64 {
        switch self {
        case .checkpoint(let checkpoint): checkpoint.size
        case .cut(let cut): cut.through
        }
    }

    package var at: Timestamp {
        switch self {
        case .checkpoint(let checkpoint): checkpoint.at
        case .cut(let cut): cut.at
        }
    }

    /// The whole C2SP signed note.
    package var text: String {
        switch self {
        case .checkpoint(let checkpoint): checkpoint.note
        case .cut(let cut): cut.note
        }
    }

    /// What a reader of logs finds it by.
    package var name: String {
        switch self {
        case .checkpoint: "audit checkpoint"
        case .cut: "audit cut"
        }
    }

    /// A line of an export.
    package var json: [UInt8] {
        switch self {
        case .checkpoint(let checkpoint): checkpoint.json
        case .cut(let cut): cut.json
        }
    }

    /// - Returns: what is wrong, `nil` when nothing is.
    package func problem(trusting keys: [AuditVerifierKey]) -> AuditProblemKind? {
        switch self {
        case .checkpoint(let checkpoint): checkpoint.problem(trusting: keys)
        case .cut(let cut): cut.problem(trusting: keys)
        }
    }

    /// Takes a signed note by its own word; nothing is verified.
    package init?(note: String) {
        guard let text = SignedNote(note)?.text else { return nil }
        if let said = AuditCheckpointText(text), let node = AuditCheckpointText.node(ofOrigin: said.origin) {
            self = .checkpoint(
                AuditCheckpoint(
                    node: node, size: said.size, at: said.at, hash: Base64URL.encode(said.hash), note: note))
        } else if let said = AuditCutText(text), let node = AuditCheckpointText.node(ofOrigin: said.origin) {
            self = .cut(
                AuditCut(
                    node: node, through: said.through, hash: Base64URL.encode(said.hash), retention: said.retention,
                    isAdopted: said.isAdopted, at: said.at, note: note))
        } else {
            return nil
        }
    }
}

/// Takes what a node has signed, once it is durable in the database, to where a writer of the database cannot reach it.
package protocol AuditNoteOutlet: Sendable {
    /// Returns at once.
    func publish(_ notes: [AuditNote])

    /// Returns when everything that was published has left.
    func flush() async
}

/// Keeps nothing: for what has no place outside of its database.
package struct NoAuditNoteOutlet: AuditNoteOutlet {
    package init() {}

    package func publish(_ notes: [AuditNote]) {}

    package func flush() async {}
}

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
