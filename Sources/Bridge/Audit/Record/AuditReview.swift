import Foundation

/// Verifies a log, or an export of one. The command line and the API call it.
package struct AuditReview: Sendable {
    private let log: any AuditLog

    package init(_ log: any AuditLog) { self.log = log }

    /// Verifies every chain in the store, while others go on writing.
    /// - Parameter progress: told now and then how many events were read.
    package func verify(
        _ terms: AuditVerificationTerms, progress: @Sendable (Int) -> Void = { _ in }
    ) async throws -> AuditVerificationReport {
        var attempt = 1
        while true {
            let cuts = try await log.cuts()
            let report = try await verify(terms, cuts: cuts, progress: progress)
            // Where a chain was cut while it was read, events seem to be missing.
            guard !report.isValid, attempt < Self.attempts, try await log.cuts() != cuts else { return report }
            attempt += 1
        }
    }

    private static let attempts = 3

    private func verify(
        _ terms: AuditVerificationTerms, cuts: [AuditReading<AuditCut>], progress: @Sendable (Int) -> Void
    ) async throws -> AuditVerificationReport {
        // Checkpoints first, then the chains' ends: the other way round, one signed meanwhile would seem to cover
        // events that are missing.
        var verifier = AuditVerifier(
            checkpoints: try await log.checkpoints(), cuts: cuts, terms: terms, isNewerThanKept: true)
        let heads = try await log.chains()
        var read = 0
        for head in heads {
            try await AuditChainReader(log, head: head).read { entries in
                for entry in entries { verifier.take(entry) }
                read += entries.count
                progress(read)
            }
        }
        for stray in try await log.strays(limit: AuditVerificationReport.problemLimit) { verifier.take(stray: stray) }
        return verifier.finish(heads: heads)
    }

    /// Verifies an export in JSON Lines without the store that it came from.
    ///
    /// The file is read twice: the notes are needed before the events, wherever in the file they stand. A line that
    /// cannot be read is a problem like any other, so that the lines after it are verified too (contract §8).
    /// - Throws: what the system says of a file that cannot be read.
    package static func verify(
        exportAt path: String, _ terms: AuditVerificationTerms
    ) throws -> AuditVerificationReport {
        // As a URL: where a path cannot be opened, nothing says why.
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        var checkpoints: [AuditReading<AuditCheckpoint>] = []
        var cuts: [AuditReading<AuditCut>] = []
        try read(file, wantsEvents: false) { line in
            switch line {
            case .success(.checkpoint(let checkpoint)): checkpoints.append(.intact(checkpoint))
            case .success(.cut(let cut)): cuts.append(.intact(cut))
            case .success(.damaged(let damage)) where damage.part == .checkpoint: checkpoints.append(.damaged(damage))
            case .success(.damaged(let damage)) where damage.part == .cut: cuts.append(.damaged(damage))
            // Of the lines that cannot be read, the other reading sees all.
            case .success(.damaged), .success(.event), .failure: break
            }
        }
        var verifier = AuditVerifier(checkpoints: checkpoints, cuts: cuts, terms: terms)
        // What cannot be read again, such as a pipe, must not seem to be empty.
        try file.seek(toOffset: 0)
        try read(file, wantsEvents: true) { line in
            switch line {
            case .success(.event(let record)): verifier.take(.intact(record))
            case .success(.damaged(let damage)) where damage.part == .event: verifier.take(exported: damage)
            case .success(.damaged), .success(.checkpoint), .success(.cut): break
            case .failure(let problem): verifier.take(unreadable: problem)
            }
        }
        return verifier.finish()
    }

    private static func read(
        _ file: FileHandle, wantsEvents: Bool,
        _ found: (Result<AuditExportReader.Entry, AuditExportReader.Problem>) -> Void
    ) throws {
        var reader = AuditExportReader(wantsEvents: wantsEvents)
        while let bytes = try file.read(upToCount: 262_144), !bytes.isEmpty { reader.take(Array(bytes)[...], found) }
        if let problem = reader.finish() { found(.failure(problem)) }
    }
}
