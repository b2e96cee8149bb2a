import Foundation
import OAuth2

@testable import Bridge

extension FuzzTarget {
    static let records = [
        FuzzTarget("audit-export", auditExport), FuzzTarget("signed-note", signedNote),
        FuzzTarget("checkpoint-file", checkpointFile), FuzzTarget("verifier-key", verifierKey),
    ]

    private struct Reading: Equatable {
        var lines: [Result<AuditExportReader.Entry, AuditExportReader.Problem>] = []
        var unfinished: AuditExportReader.Problem?
    }

    /// An export is the same however it is cut, and the fast reader of a line reads as the general one does.
    private static let auditExport: @Sendable ([UInt8]) -> String? = { input in
        let whole = reading(input, pieces: max(1, input.count))
        for size in [1, 5] where reading(input, pieces: size) != whole { return "cut in \(size) it is something else" }
        for line in input.split(separator: 0x0A) {
            guard let fast = Array(line).withUnsafeBufferPointer(AuditRecordLine.read) else { continue }
            guard let members = JSONValue.parse(bytes: Array(line), depth: 2)?.object,
                let general = try? AuditRecord(json: members)
            else { return "the general reader refuses it" }
            guard general == fast else { return "the general reader reads something else" }
        }
        return nil
    }

    private static func reading(_ input: [UInt8], pieces size: Int) -> Reading {
        var reading = Reading()
        var reader = AuditExportReader()
        for start in stride(from: 0, to: input.count, by: size) {
            reader.take(input[start..<min(start + size, input.count)]) { reading.lines.append($0) }
        }
        reading.unfinished = reader.finish()
        return reading
    }

    /// There is one spelling of a note, and nobody's key has signed one by chance.
    private static let signedNote: @Sendable ([UInt8]) -> String? = { input in
        let given = text(input)
        guard let note = SignedNote(given) else {
            return AuditNote(note: given) == nil ? nil : "a note that is no signed note"
        }
        guard same(note.description, given) else { return "a second spelling" }
        guard let said = AuditNote(note: given) else { return nil }
        guard said.text == given, said.sequence >= 0 else { return "it says something else than its text" }
        guard let key else { return "no key" }
        return said.problem(trusting: [key]) == nil ? "a note that nobody signed" : nil
    }

    private static let key =
        AuditVerifierKey(
            name: "example.com/node1", publicKey: Array(repeating: 9, count: 32)) as AuditVerifierKey?

    /// What was kept is found whatever stands around it, behind a collector's words and inside its objects too; every
    /// note that is found is a note.
    private static let checkpointFile: @Sendable ([UInt8]) -> String? = { input in
        let kept = AuditKeptNotes(input)
        let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false).count
        guard kept.notes.count + kept.malformedLines.count <= lines else { return "more notes than lines" }
        guard kept.malformedLines.allSatisfy({ (1...lines).contains($0) }) else { return "a line that is not there" }
        for note in kept.notes {
            guard AuditNote(note: note.text) == note else { return "a note that is none" }
            var wrapped = JSONObjectWriter()
            wrapped.add("MESSAGE", String(decoding: note.json, as: UTF8.self))
            for line in [note.json, Array("host drawbridge[1]: ".utf8) + note.json, wrapped.finish()] {
                guard AuditKeptNotes(line + [0x0A]).notes == [note] else { return "written and read again it is lost" }
            }
        }
        return nil
    }

    /// A key is written as it was read.
    private static let verifierKey: @Sendable ([UInt8]) -> String? = { input in
        guard let key = AuditVerifierKey(text(input)) else {
            for key in AuditVerifierKey.keys(in: text(input)) ?? [] where AuditVerifierKey(key.description) != key {
                return "written and read again it is another key"
            }
            return nil
        }
        return same(key.description, text(input)) ? nil : "a second spelling"
    }
}
