package import Bridge
import Foundation
import OAuth2

extension DurableStorage: ClientStore {
    package func clients() async throws -> [Client] {
        try await read { session in try session.run(ClientSQL.all).map(Self.client) }
    }

    package func save(
        _ client: Client, expecting expected: ClientExpectation, event: AuditEvent
    ) async throws -> Bool {
        let arguments: [SQLValue] = [SQLValue(client.id), .text(try Self.document(client)), SQLValue(event.at)]
        return try await write { transaction in
            let before: StoredText?
            let epoch: Timestamp
            let saved: [SQLRow]
            switch expected {
            case .absent:
                before = nil
                epoch = client.epoch(replacing: nil, at: event.at)
                saved = try transaction.run(ClientSQL.insert, arguments + [SQLValue(epoch)])
            case .unchanged(let seen):
                guard let stored = try Self.text(unchangedSince: seen, in: transaction) else { return false }
                before = stored
                epoch = client.epoch(replacing: stored.client, at: event.at)
                saved = try transaction.run(
                    ClientSQL.updateUnchanged,
                    arguments + [.text(stored.document), SQLValue(epoch), SQLValue(stored.client.adminEpoch)])
            }
            guard !saved.isEmpty else { return false }
            try transaction.record(event)
            // An end in the next moment is queued already, whichever node has read the client by then.
            try transaction.setSubscriptions(of: client)
            if !client.mayAdminister || epoch != before?.client.adminEpoch {
                try transaction.endAdminSessions(of: client.id, event)
            }
            return true
        }
    }

    package func deleteClient(_ id: ClientID, event: AuditEvent) async throws -> Bool {
        try await write { transaction in
            guard try !transaction.run(ClientSQL.delete, [SQLValue(id)]).isEmpty else { return false }
            try transaction.record(event)
            try transaction.endSubscriptions(of: id)
            try transaction.endAdminSessions(of: id, event)
            return true
        }
    }

    package func deleteClient(unchanged client: Client, event: AuditEvent) async throws -> Bool {
        try await write { transaction in
            guard let stored = try Self.text(unchangedSince: client, in: transaction),
                try !transaction.run(ClientSQL.deleteUnchanged, [SQLValue(client.id), .text(stored.document)]).isEmpty
            else { return false }
            try transaction.record(event)
            try transaction.endSubscriptions(of: client.id)
            try transaction.endAdminSessions(of: client.id, event)
            return true
        }
    }

    package func clientsVersion() async throws -> String {
        try await read { session in
            guard let row = try session.run(ClientSQL.version).first else { return "" }
            return "\(try row.integer(0)) \(try row.integer(1))"
        }
    }

    private static func document(_ client: Client) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(ClientDocument(client)), as: UTF8.self)
    }

    /// A client as it is stored, and the text of its document.
    private struct StoredText {
        let client: Client
        let document: String
    }

    /// The stored text of a client that still is what the caller has seen. What it says is compared: another version,
    /// with fewer fields, writes the same client in other words. One that this version cannot read nobody has seen.
    private static func text(unchangedSince seen: Client, in transaction: WriteTransaction) throws -> StoredText? {
        guard let row = try transaction.run(ClientSQL.one, [SQLValue(seen.id)]).first, let stored = try? client(row)
        else { return nil }
        // No caller has seen the epoch, which changes with the document alone.
        var document = stored
        document.adminEpoch = seen.adminEpoch
        return document == seen ? StoredText(client: stored, document: try row.text(1)) : nil
    }

    private static func client(_ row: SQLRow) throws -> Client {
        let id = try row.text(0)
        do {
            let document = Data(try row.text(1).utf8)
            var client = try JSONDecoder().decode(StoredClientDocument.self, from: document).client
            client.adminEpoch = try row.optionalTimestamp(2) ?? AdminCredential.firstEpoch
            return client
        } catch let problem as ClientDocumentError {
            throw StorageError.corrupt("the document of client \(id): \(problem)")
        } catch is DecodingError {
            throw StorageError.corrupt("the document of client \(id) is not a JSON object")
        }
    }
}

/// The statements about registered clients.
enum ClientSQL {
    static let all: SQLStatement = "SELECT client_id, document, admin_epoch FROM client ORDER BY client_id"

    static let one: SQLStatement = "SELECT client_id, document, admin_epoch FROM client WHERE client_id = $1"

    static let insert: SQLStatement = """
        INSERT INTO client (client_id, document, updated_at, admin_epoch) VALUES ($1, $2, $3, $4)
        ON CONFLICT (client_id) DO NOTHING RETURNING client_id
        """

    /// `$4` is the document as it was read.
    static let updateUnchanged: SQLStatement = """
        UPDATE client
        SET document = $2, admin_epoch = $5, updated_at = CASE WHEN updated_at < $3 THEN $3 ELSE updated_at + 1 END
        WHERE client_id = $1 AND document = $4 AND COALESCE(admin_epoch, 0) = $6 RETURNING client_id
        """

    static let delete: SQLStatement = "DELETE FROM client WHERE client_id = $1 RETURNING client_id"
    static let deleteUnchanged: SQLStatement = """
        DELETE FROM client WHERE client_id = $1 AND document = $2 RETURNING client_id
        """

    /// Each change makes its own row's time later. The latest of all would not tell: a clock that is ahead, on another
    /// node, would hide every change until the others had caught up with it.
    static let version: SQLStatement = "SELECT count(*), CAST(COALESCE(sum(updated_at), 0) AS BIGINT) FROM client"
}

extension DurableStorage: RequestStore {
    package func claimUse(
        digest: String, madeAfter start: Timestamp, until expiry: Timestamp
    ) async throws -> Bool {
        let claim = SQLCall(SingleUseSQL.claim, [.text(digest), SQLValue(expiry), SQLValue(start)])
        return try await write(anticipating: [claim]) { try $0.changes(claim) }
    }

    package func purgeUses(expiredBefore cutoff: Timestamp, limit: Int) async throws -> Int {
        try await purge(SingleUseSQL.purge, before: cutoff, limit: limit)
    }
}

/// The statements about what counts once and was used: clients' assertions, pushed requests, logout tokens.
enum SingleUseSQL {
    static let claim: SQLStatement = """
        INSERT INTO client_assertion_use (digest, expires_at) SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT)
        WHERE NOT EXISTS (SELECT 1 FROM restore_point WHERE restored_at > $3) ON CONFLICT (digest) DO NOTHING
        """

    static let purge = ExpiredRows(of: "client_assertion_use", by: "digest")
}
