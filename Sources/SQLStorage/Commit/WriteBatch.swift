import Bridge

/// Writes that share one transaction.
struct WriteBatch {
    let writes: [PendingWrite]
    let session: any SQLSession
    let begin: SQLStatement

    /// Commits the writes and tells every caller how it went.
    /// - Parameter chain: where the node's audit chain ends; `nil` reads it from the database.
    /// - Returns: where the chain ends now; `nil` when something failed.
    func commit(startingFrom chain: AuditChain?, auditor: AuditChainWriter) -> AuditChain? {
        do {
            return try run(startingFrom: chain, auditor: auditor, isolated: false)
        } catch let failure as SQLFailure where failure.kind != .refused {
            failAll(failure)
            return nil
        } catch {
            do {
                // The chain is read again: a refused event would mean that it ends elsewhere than thought.
                return try run(startingFrom: nil, auditor: auditor, isolated: true)
            } catch {
                failAll(error)
                return nil
            }
        }
    }

    private func run(startingFrom chain: AuditChain?, auditor: AuditChainWriter, isolated: Bool) throws -> AuditChain {
        _ = try session.run(begin)
        do {
            let transaction = WriteTransaction(session: session, chain: try chain ?? auditor.readChain(session))
            var answers: [@Sendable () -> Void] = []
            answers.reserveCapacity(writes.count)
            for write in writes {
                answers.append(isolated ? try isolate(write, in: transaction) : try write.attempt(transaction))
            }
            try auditor.recordCheckpointIfDue(in: transaction)
            _ = try session.run(Self.commitStatement)
            for answer in answers { answer() }
            return transaction.chain
        } catch {
            if session.isInTransaction { _ = try? session.run(Self.rollback) }
            throw error
        }
    }

    /// Runs one write so that its failure undoes it alone.
    private func isolate(_ write: PendingWrite, in transaction: WriteTransaction) throws -> @Sendable () -> Void {
        let chain = transaction.chain
        _ = try session.run(Self.savepoint)
        do {
            let answer = try write.attempt(transaction)
            _ = try session.run(Self.release)
            return answer
        } catch let failure as SQLFailure where failure.kind != .refused {
            throw failure
        } catch {
            _ = try session.run(Self.rollbackToSavepoint)
            _ = try session.run(Self.release)
            transaction.rewind(to: chain)
            return { write.fail(error) }
        }
    }

    private func failAll(_ error: any Error) {
        for write in writes { write.fail(error) }
    }

    private static let commitStatement: SQLStatement = "COMMIT"
    private static let rollback: SQLStatement = "ROLLBACK"
    private static let savepoint: SQLStatement = "SAVEPOINT one_write"
    private static let release: SQLStatement = "RELEASE SAVEPOINT one_write"
    private static let rollbackToSavepoint: SQLStatement = "ROLLBACK TO SAVEPOINT one_write"
}
