import Bridge
import OAuth2
import Testing

private typealias Problem = AuditVerificationReport.Problem

/// Removing history needs the signing key, and leave from the retention in force.
@Suite struct AuditCutTests {
    private let chain = AuditFixture.chain(6)
    private let key: AuditSigningKey
    private let checkpoint: AuditCheckpoint

    init() throws {
        key = try AuditFixture.key()
        checkpoint = try AuditFixture.checkpoint(chain, at: 3, by: key)
    }

    private func report(
        _ cuts: [AuditCut], checkpoints: [AuditCheckpoint]? = nil, least: Duration? = nil
    ) -> AuditVerificationReport {
        verify(
            Array(chain.dropFirst(3)), checkpoints: checkpoints ?? [checkpoint], cuts: cuts, by: [key.verifierKey],
            leastRetention: least)
    }

    private func kinds(
        _ cuts: [AuditCut], checkpoints: [AuditCheckpoint]? = nil, least: Duration? = nil
    ) -> [AuditProblemKind] {
        report(cuts, checkpoints: checkpoints, least: least).problems.map(\.kind)
    }

    @Test func `an accepted cut is in the report, with what was in force`() throws {
        let cut = try AuditFixture.cut(chain, through: 3, by: key)
        let report = report([cut])
        #expect(report.isValid && report.cuts == [cut])
        #expect(
            report.json.contains(
                #""cuts":[{"node":"a","through":3,"at":"\#(cut.at.rfc3339)","retention":86400,"adopted":false}]"#))
    }

    @Test func `a cut signed by nobody, by a stranger, or forged is tampering and cuts nothing`() throws {
        let good = try AuditFixture.cut(chain, through: 3, by: key)
        let stranger = try AuditFixture.cut(chain, through: 3, by: try AuditFixture.key(byte: 8))
        let text = good.note.prefix { $0 != "\u{2014}" }
        func noted(_ note: String) -> AuditCut {
            AuditCut(
                node: "a", through: 3, hash: good.hash, retention: good.retention, isAdopted: false, at: good.at,
                note: note)
        }
        let other = try AuditFixture.cut(chain, through: 3, after: .seconds(3 * 86_400), by: key)
        let stolen = noted(String(text + other.note.drop { $0 != "\u{2014}" }))
        #expect(kinds([stranger]) == [.cutUnknownKey, .missing])
        #expect(kinds([stolen]) == [.cutBadSignature, .missing])
        #expect(kinds([noted(String(text))]) == [.cutMalformed, .missing])
        #expect(kinds([noted("")]) == [.cutMalformed, .missing])
        #expect(report([stranger, stolen]).cuts == [])
    }

    @Test func `columns that say something else than the note are found`() throws {
        let good = try AuditFixture.cut(chain, through: 3, by: key)
        func changed(
            node: String = "a", through: Int64 = 3, hash: String? = nil, retention: Duration = .seconds(86_400),
            isAdopted: Bool = false, at: Timestamp? = nil
        ) -> AuditCut {
            AuditCut(
                node: node, through: through, hash: hash ?? good.hash, retention: retention, isAdopted: isAdopted,
                at: at ?? good.at, note: good.note)
        }
        #expect(kinds([changed()]) == [])
        for cut in [
            changed(node: "b"), changed(through: 2), changed(hash: chain[4].hash), changed(retention: .seconds(1)),
            changed(isAdopted: true), changed(at: good.at + .seconds(1)),
        ] {
            #expect(kinds([cut]).contains(.cutMalformed))
        }
    }

    @Test func `a checkpoint's signature is none for a cut, nor a cut's for a checkpoint`() throws {
        let cut = try AuditFixture.cut(chain, through: 3, by: key)
        let asCut = AuditCut(
            node: "a", through: 3, hash: cut.hash, retention: cut.retention, isAdopted: false, at: cut.at,
            note: checkpoint.note)
        #expect(kinds([asCut]) == [.cutMalformed, .missing])
        let asCheckpoint = AuditCheckpoint(node: "a", size: 3, at: cut.at, hash: cut.hash, note: cut.note)
        #expect(kinds([cut], checkpoints: [asCheckpoint]).contains(.checkpointMalformed))
    }

    @Test(arguments: [(Int64(86_401), true), (86_400, true), (86_399, false)])
    func `a cut takes nothing that is younger than the retention in force`(age: Int64, isAccepted: Bool) throws {
        // The checkpoint is signed a second after its event.
        let cut = try AuditFixture.cut(chain, through: 3, after: .seconds(age + 1), by: key)
        #expect(kinds([cut]) == (isAccepted ? [] : [.cutTooFar, .missing]))
    }

    @Test(arguments: [(Int64(86_400), true), (86_401, false)])
    func `a retention below the least that may have been in force is told`(least: Int64, isAccepted: Bool) throws {
        let cut = try AuditFixture.cut(chain, through: 3, by: key)
        #expect(kinds([cut], least: .seconds(least)) == (isAccepted ? [] : [.retentionTooShort, .missing]))
    }

    @Test func `a cut needs the checkpoint that it was made at, of the same chain`() throws {
        let cut = try AuditFixture.cut(chain, through: 3, by: key)
        #expect(kinds([cut], checkpoints: []) == [.cutUnproved, .missing])
        var event = AuditFixture.event(3)
        event.subject = "mallory"
        let forged = AuditRecord(chaining: event, node: "a", sequence: 3, previousHash: chain[1].hash)
        let other = try key.sign(node: "a", size: 3, hash: forged.hash, at: checkpoint.at)
        #expect(kinds([cut], checkpoints: [other]) == [.cutMismatch, .missing])
    }

    @Test func `an adopted cut says so, and how old what went was`() throws {
        let adopted = try AuditFixture.cut(chain, through: 3, retention: .zero, isAdopted: true, by: key)
        #expect(report([adopted]).isValid)
        #expect(report([adopted]).json.contains(#""adopted":true"#))
        // Nobody knows what was in force, but two days lay between the events and the signature.
        #expect(kinds([adopted], least: .seconds(86_400)) == [])
        #expect(kinds([adopted], least: .seconds(3 * 86_400)) == [.retentionTooShort, .missing])
        #expect(kinds([adopted], checkpoints: []) == [])
        #expect(kinds([adopted], checkpoints: [], least: .seconds(1)) == [.cutUnproved, .missing])
    }

    @Test func `a cut covers a beginning, never a gap`() throws {
        let cut = try AuditFixture.cut(chain, through: 3, by: key)
        let forged = AuditFixture.chain(1, detail: "forged")
        let report = verify(
            forged + chain.dropFirst(3), checkpoints: [checkpoint], cuts: [cut], by: [key.verifierKey])
        #expect(report.problems == [Problem(node: "a", sequence: 2, kind: .missing)])
    }

    @Test func `what is there although a cut says it went is verified as ever`() throws {
        let cut = try AuditFixture.cut(chain, through: 3, by: key)
        #expect(verify(chain, checkpoints: [checkpoint], cuts: [cut], by: [key.verifierKey]).isValid)
    }

    @Test func `a cut leaves something, so a chain that ends with it was robbed`() throws {
        let cut = try AuditFixture.cut(chain, through: 3, by: key)
        let report = verify([], checkpoints: [checkpoint], cuts: [cut], by: [key.verifierKey])
        #expect(report.problems == [Problem(node: "a", sequence: 4, kind: .truncated)])
    }

    @Test func `an export has its cuts, and is verified with them`() async throws {
        let cut = try AuditFixture.cut(chain, through: 3, isAdopted: true, by: key)
        let log = FixedAuditLog(Array(chain.dropFirst(3)), checkpoints: [checkpoint], cuts: [cut])
        let output = ByteCollector()
        try await AuditExport(log).write(matching: AuditFilter(), as: .jsonLines) { output.append($0) }
        #expect(try entries(output.bytes).last == .cut(cut))
        let terms = AuditVerificationTerms(trusting: [key.verifierKey])
        try TemporaryFile.with(output.bytes) { path in
            let report = try AuditReview.verify(exportAt: path, terms)
            #expect(report.isValid && report.cuts == [cut])
        }
        let without = output.bytes.split(separator: 0x0A).dropLast().joined(separator: [0x0A]) + [0x0A]
        try TemporaryFile.with(Array(without)) { path in
            let report = try AuditReview.verify(exportAt: path, terms)
            #expect(report.problems.map(\.kind) == [.missing])
        }
    }

    @Test(arguments: [
        (#""through":3"#, #""through":0"#, "through"), (#""through":3"#, #""through":9223372036854775807"#, "through"),
        (#""retention":86400"#, #""retention":-1"#, "retention"), (#""adopted":false"#, #""adopted":0"#, "adopted"),
        (#""at":""#, #""at":"x"#, "at"), (#""note":"#, #""more":1,"note":"#, "more"),
        (#""node":"a""#, #""node":1"#, "node"),
    ])
    func `a bad member of a cut is named`(part: String, replacement: String, field: String) throws {
        let cut = try AuditFixture.cut(chain, through: 3, by: key)
        let text = String(decoding: cut.json, as: UTF8.self)
        #expect(try entries(Array((text + "\n").utf8)) == [.cut(cut)])
        let bad = text.replacing(part, with: replacement, maxReplacements: 1)
        #expect(reason(bad + "\n") == .init(line: 1, reason: .field(field)))
    }
}
