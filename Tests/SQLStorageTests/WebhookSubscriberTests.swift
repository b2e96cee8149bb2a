import Bridge
import Testing

@testable import SQLStorage

@Suite struct WebhookSubscriberTests {
    @Test func `clients' webhooks are noted in the order of their ids, so that no two nodes block each other`()
        async throws
    {
        try await TemporaryDatabase.with { database in
            let storage = try database.open()
            let ids = (10..<30).map { ClientID(rawValue: "client-\($0)") }
            let (gone, kept) = (Set(ids.prefix(10)), Set(ids.suffix(10)))
            try await storage.changeWebhookSubscribers(adding: gone, removing: [])
            try await storage.write { transaction in
                try transaction.run("CREATE TABLE noted (number INTEGER PRIMARY KEY, client_id TEXT)")
                for (change, row) in [("INSERT", "NEW"), ("DELETE", "OLD")] {
                    try transaction.run(
                        SQLStatement(
                            """
                            CREATE TRIGGER on_\(change) AFTER \(change) ON webhook_subscriber
                            BEGIN INSERT INTO noted (client_id) VALUES (\(row).client_id); END
                            """))
                }
            }
            try await storage.changeWebhookSubscribers(adding: kept, removing: gone)
            let noted = try await storage.write { transaction in
                try transaction.run("SELECT client_id FROM noted ORDER BY number")
            }
            #expect(noted.map(\.values) == ids.map { [.text($0.rawValue)] })
        }
    }
}
