import Bridge
import Testing

/// Verifies records in the order given.
func verify(
    _ records: [AuditRecord], checkpoints: [AuditCheckpoint] = [], cuts: [AuditCut] = [],
    by keys: [AuditVerifierKey] = [], kept: [AuditNote] = [], leastRetention: Duration? = nil,
    heads: [AuditChainHead] = []
) -> AuditVerificationReport {
    verify(
        entries: records.map(AuditEntry.intact), checkpoints: checkpoints, cuts: cuts, by: keys, kept: kept,
        leastRetention: leastRetention, heads: heads)
}

/// Verifies entries in the order given.
func verify(
    entries: [AuditEntry], checkpoints: [AuditCheckpoint] = [], cuts: [AuditCut] = [],
    by keys: [AuditVerifierKey] = [], kept: [AuditNote] = [], leastRetention: Duration? = nil,
    heads: [AuditChainHead] = []
) -> AuditVerificationReport {
    var verifier = AuditVerifier(
        checkpoints: checkpoints.map(AuditReading.intact), cuts: cuts.map(AuditReading.intact),
        terms: AuditVerificationTerms(trusting: keys, kept: kept, leastRetention: leastRetention))
    for entry in entries { verifier.take(entry) }
    return verifier.finish(heads: heads)
}

@Suite struct AuditCheckpointVerificationTests {
    let chain = AuditFixture.chain(3)

    private func kinds(_ checkpoint: AuditCheckpoint, by keys: [AuditVerifierKey]) -> [AuditProblemKind] {
        verify(chain, checkpoints: [checkpoint], by: keys).problems.map(\.kind)
    }

    @Test func `a good checkpoint counts`() throws {
        let key = try AuditFixture.key()
        let report = verify(
            chain, checkpoints: [try AuditFixture.checkpoint(chain, at: 2, by: key)], by: [key.verifierKey])
        #expect(report.isValid)
        #expect(report.checkpoints == 1)
    }

    @Test func `a checkpoint by a key of the same name is unknown`() throws {
        let checkpoint = try AuditFixture.checkpoint(chain, at: 2, by: try AuditFixture.key(byte: 8))
        #expect(kinds(checkpoint, by: [try AuditFixture.key().verifierKey]) == [.checkpointUnknownKey])
        #expect(kinds(checkpoint, by: []) == [.checkpointUnknownKey])
    }

    @Test func `an older key may be trusted beside the newer one`() throws {
        let (old, new) = (try AuditFixture.key(byte: 8), try AuditFixture.key())
        let report = verify(
            chain,
            checkpoints: [
                try AuditFixture.checkpoint(chain, at: 1, by: old), try AuditFixture.checkpoint(chain, at: 3, by: new),
            ], by: [old.verifierKey, new.verifierKey])
        #expect(report.isValid)
    }

    @Test func `a forged signature is found`() throws {
        let key = try AuditFixture.key()
        let good = try AuditFixture.checkpoint(chain, at: 2, by: key)
        let other = try AuditFixture.checkpoint(chain, at: 3, by: key)
        let text = good.note.prefix { $0 != "\u{2014}" }
        let signature = other.note.drop { $0 != "\u{2014}" }
        let forged = AuditCheckpoint(
            node: "a", size: good.size, at: good.at, hash: good.hash, note: String(text + signature))
        #expect(kinds(forged, by: [key.verifierKey]) == [.checkpointBadSignature])
    }

    @Test func `columns that say something else than the note are found`() throws {
        let key = try AuditFixture.key()
        let good = try AuditFixture.checkpoint(chain, at: 2, by: key)
        let changed = [
            AuditCheckpoint(node: "b", size: 2, at: good.at, hash: good.hash, note: good.note),
            AuditCheckpoint(node: "a", size: 1, at: good.at, hash: good.hash, note: good.note),
            AuditCheckpoint(node: "a", size: 2, at: good.at + .seconds(1), hash: good.hash, note: good.note),
            AuditCheckpoint(node: "a", size: 2, at: good.at, hash: chain[2].hash, note: good.note),
            AuditCheckpoint(node: "a", size: 2, at: good.at, hash: good.hash, note: good.note + "x"),
            AuditCheckpoint(node: "a", size: 2, at: good.at, hash: good.hash, note: ""),
        ]
        for checkpoint in changed {
            #expect(kinds(checkpoint, by: [key.verifierKey]).contains(.checkpointMalformed))
        }
    }

    @Test func `a checkpoint of another node does not vouch`() throws {
        let key = try AuditFixture.key()
        let other = AuditFixture.chain(3, node: "b")
        let theirs = try AuditFixture.checkpoint(other, at: 2, by: key)
        let moved = AuditCheckpoint(node: "a", size: 2, at: theirs.at, hash: theirs.hash, note: theirs.note)
        #expect(kinds(moved, by: [key.verifierKey]) == [.checkpointMalformed])
    }

    @Test func `a node's name may have any characters`() throws {
        let key = try AuditFixture.key()
        let chain = AuditFixture.chain(2, node: "node 1 + ü\n")
        let checkpoint = try AuditFixture.checkpoint(chain, at: 2, by: key)
        #expect(verify(chain, checkpoints: [checkpoint], by: [key.verifierKey]).isValid)
    }
}
