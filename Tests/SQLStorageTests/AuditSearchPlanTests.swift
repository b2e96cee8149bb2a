import Bridge
import Testing

@testable import SQLStorage

/// How the audit log is searched: by an index, whatever else it holds.
@Suite struct AuditSearchPlanTests {
    @Test func `the events of one user are found by their index, newest first, without looking at the others`()
        async throws
    {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            var filter = AuditFilter()
            filter.subject = "alice"
            let search = AuditSearch(filter, before: nil, limit: 50, dialect: storage.dialect)
            let engine = try #require(storage.engine as? SQLiteEngine)
            let plan = try engine.onWriterNow { session in
                try session.run(
                    SQLStatement("EXPLAIN QUERY PLAN " + search.statement.text, isRecurring: false), search.arguments)
            }
            let text = plan.map { "\($0.values)" }.joined()
            #expect(text.contains("audit_event_subject (subject=?)"), "\(text)")
            // A tree for the last terms only, of events of the same millisecond.
            #expect(!text.contains("USE TEMP B-TREE FOR ORDER BY"), "\(text)")
        }
    }
}
