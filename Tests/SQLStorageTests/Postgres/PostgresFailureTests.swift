import Bridge
import Testing

@testable import SQLStorage

@Suite struct PostgresFailureTests {
    @Test(arguments: [
        ("40001", SQLError.Kind.interrupted), ("40P01", .interrupted), ("08006", .interrupted),
        ("57P01", .interrupted), ("25P03", .interrupted), ("25006", .interrupted), ("57014", .unavailable),
        ("55P03", .lockTimeout), ("53100", .unavailable), ("53300", .unavailable), ("58030", .unavailable),
        ("42501", .forbidden), ("23505", .refused), ("22021", .refused), ("42P01", .refused), ("XX001", .corrupt),
        ("XX000", .unavailable), ("P0001", .unavailable),
    ])
    func `a state of the server says what can be done`(state: String, kind: SQLError.Kind) {
        #expect(SQLError.kind(ofState: state) == kind)
    }

    @Test(arguments: [
        ("53100", StorageError.Cause.engine(code: "PostgreSQL 53100 (its disk is full)")),
        ("25006", .engine(code: "PostgreSQL 25006 (it is read-only, as a standby is)")),
        ("57014", .engine(code: "PostgreSQL 57014")), ("23505", .engine(code: "PostgreSQL 23505")),
        ("XX001", .damage),
    ])
    func `a state of the server says what an operator is told, and nothing of its message does`(
        state: String, cause: StorageError.Cause
    ) {
        #expect(SQLError.cause(ofState: state, message: #"what quotes "alice""#) == cause)
    }

    @Test(arguments: [
        #"relation "audit_event" does not exist"#, "Relation »audit_event« existiert nicht",
        "la relation «\u{A0}audit_event\u{A0}» n'existe pas", #"リレーション"audit_event"は存在しません"#,
    ])
    func `a table that is gone is named, whatever language the server speaks`(message: String) {
        #expect(SQLError.cause(ofState: "42P01", message: message) == .missing("table audit_event"))
    }

    @Test(arguments: [
        (#"column "node_id" does not exist"#, "column node_id"),
        ("column account.node_id does not exist", "column that this program needs"),
    ])
    func `a column that is gone is named where the server quotes it`(message: String, what: String) {
        #expect(SQLError.cause(ofState: "42703", message: message) == .missing(what))
    }

    @Test(arguments: [
        ("could not connect as alice", StorageError.Cause.noConnection),
        ("FATAL:  sorry, too many clients already", .engine(code: "PostgreSQL 53300 (too many connections)")),
    ])
    func `a server that has no connection left is told from one that is away`(
        message: String, cause: StorageError.Cause
    ) {
        #expect(SQLError.cause(ofConnection: message) == cause)
    }

    @Test(arguments: [
        ("53100", true), ("58030", true), ("25006", true), ("42501", true), ("55P03", false), ("57014", false),
        ("40001", false), ("23505", false), ("08006", false),
    ])
    func `a full disk is told from what passes and from the caller's fault`(state: String, isRefusal: Bool) {
        #expect(SQLError.isWriteRefusal(state) == isRefusal)
    }

    @Test(arguments: [
        ("postgres://u@db.example/d", "verify-full"), ("host=10.0.0.5", "verify-full"),
        ("postgres://u@127.0.0.1,db.example/d", "verify-full"), ("postgres://u@127.0.0.1/d", "prefer"),
        ("postgres://u@[::1]/d", "prefer"), ("postgres:///d?host=/run/postgresql", "prefer"), ("dbname=d", "prefer"),
    ])
    func `a server elsewhere must prove who it is unless the address says otherwise`(
        text: String, mode: String
    ) throws {
        let parameters = try PostgresAddress(text).parameters(applicationName: "a", timeouts: .service)
        let modes = parameters.firstIndex { $0.keyword == "sslmode" && $0.value == mode }
        let address = parameters.firstIndex { $0.keyword == "dbname" && $0.value == text }
        #expect(try #require(modes) < #require(address))
    }

    @Test(arguments: ["postgres//alice:hunter2@db/d", "hunter2", "host='hunter2"])
    func `an address that cannot be read is not quoted`(text: String) throws {
        let error = #expect(throws: PostgresOpenError.self) { try PostgresAddress(text) }
        #expect(error?.description.contains("hunter2") == false)
    }

    /// libpq takes a part of such a password for a host, a port, a database or a parameter, and quotes it.
    @Test(arguments: [
        "postgres://app:hunter/2@127.0.0.1:5432/d", "postgres://app:5432/hunter@127.0.0.1/d",
        "postgres://app:/hunter@db.example/d", "postgres://app:2@hunter@127.0.0.1:5432/d",
        "postgres://app:2@hunter:2@db.example/d", "postgres://app:2@hunter/2@db.example/d",
        "postgres://app:2@h?hunter=2@db.example/d", "postgres://app:5/2?hunter=2@db.example/d",
        "postgresql://hunter/2:p@db.example/d", "postgres://app:hunter", "postgres://app:5%hunter@db.example/d",
        "postgres://db.example/d?password=2&hunter=2", "host=db.example password=2 hunter=2",
        "Postgres://app:hunter=@db.example/d", "mysql://app:x\"hunter=@db.example/d", "host=db.example port=hunter",
    ])
    func `a password with a character that is not encoded is refused, and no part of it is quoted`(
        text: String
    ) throws {
        let error = #expect(throws: PostgresOpenError.self) { try PostgresAddress(text, defaults: [:]) }
        #expect(error?.description.contains("hunter") == false)
    }

    @Test(arguments: [
        "postgres://app:sec/ret@127.0.0.1:5432/d", "postgres://app:2@horse@127.0.0.1/d",
        "postgres://app:50%off@127.0.0.1/d", "postgres://app:secret/",
    ])
    func `what to write for a character of a password is told`(text: String) throws {
        let error = #expect(throws: PostgresOpenError.self) { try PostgresAddress(text, defaults: [:]) }
        #expect(error?.description.contains("has to be percent-encoded: / is %2F, @ is %40") == true)
    }

    @Test(arguments: [
        ("postgres://a%40b:p%2F%40%3F%23%3A@db.example:5432/d", "db.example/d"),
        ("postgres://a:p:q?r#s@db.example/d", "db.example/d"),
        ("postgres://db.example/d%40e", "db.example/d@e"), ("postgres://%40socket/d", "@socket/d"),
        ("postgres:///d?host=@socket", "@socket/d"), ("postgres://db.example/d?user=alice@server", "db.example/d"),
        ("postgres://one.example:5432,two.example:,[::1]:5433/d", "one.example,two.example,::1/d"),
        ("host=one,two port=5432,5433 dbname=d", "one,two/d"),
        ("host=db.example port=' 5432 ' dbname=d", "db.example/d"),
    ])
    func `an address that is encoded as it should be is accepted`(text: String, place: String) throws {
        #expect(try PostgresAddress(text, defaults: [:]).description == place)
    }

    @Test func `a parameter that is misspelt is named`() {
        let error = #expect(throws: PostgresOpenError.self) {
            try PostgresAddress("postgres://app:pw@db.example/d?ssl_mode=disable", defaults: [:])
        }
        #expect(error?.description.contains("ssl_mode") == true)
    }

    @Test(arguments: ["", " "])
    func `an address that names nothing is not the database of this machine`(text: String) {
        #expect(throws: PostgresOpenError.badAddress("it is empty")) { try PostgresAddress(text) }
    }

    @Test func `an address in print holds no password`() throws {
        let address = try PostgresAddress("postgres://alice:hunter2@db.example/bridge")
        #expect(address.description == "db.example/bridge")
    }
}
