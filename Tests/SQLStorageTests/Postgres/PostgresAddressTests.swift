import Testing

@testable import SQLStorage

/// Which servers may be spoken to without TLS: the password is sent to whoever answers.
@Suite struct PostgresAddressTests {
    @Test(arguments: [
        "dbname=d", "host='' hostaddr=''", "host=/run/postgresql", "host=@drawbridge", "host=localhost",
        "postgresql://%2Frun%2Fpostgresql/d", "postgresql:///d?host=/run/postgresql", "postgresql://[::1]/d",
        "host=127.0.0.1", "host=127.255.0.9", "hostaddr=127.0.0.1", "hostaddr=::1", "host=localhost,/tmp,::1",
        "host=localhost,", "host=localhost hostaddr=127.0.0.1", "host=/tmp,localhost hostaddr=,127.0.0.2",
        "postgresql://db.example/d?host=localhost", "host=db.example host=localhost",
    ])
    func `a server of this machine may go without TLS`(text: String) throws {
        #expect(try Self.mode(text) == "prefer")
    }

    @Test(arguments: [
        // libpq connects to hostaddr, whatever host is.
        "host=localhost hostaddr=192.0.2.2", "postgresql://localhost/d?hostaddr=192.0.2.2",
        "host=/run/postgresql hostaddr=192.0.2.2", "host=localhost,localhost hostaddr=127.0.0.1,192.0.2.2",
        "host=localhost,localhost hostaddr=,192.0.2.2", "hostaddr=192.0.2.2",
        // The entries that hostaddr leaves empty are host's.
        "host=localhost,db.example hostaddr=127.0.0.1,", "host=db.example hostaddr=127.0.0.1",
        "postgresql://localhost/d?host=db.example", "postgresql://%64b.example/d", "host=localhost,db.example",
        "postgresql://localhost,,db.example/d", "host=localhost host=db.example",
        // Names, and spellings that a resolver may read in another way.
        "host=127.db.example", "host=127.0.0.1.db.example", "host=127.1", "hostaddr=127.1", "host=127.0.0.01",
        "host=127.0.0.256", "host=localhost.db.example", "host=' localhost'", "postgresql://[::ffff:127.0.0.1]/d",
        "host=0.0.0.0",
        "service=far", "postgresql:///d?service=far", "host=localhost service=far",
    ])
    func `a server elsewhere, or one that may be, must prove who it is`(text: String) throws {
        #expect(try Self.mode(text) == "verify-full")
    }

    @Test(arguments: [
        ("dbname=d", ["host": "db.example"], "verify-full"), ("dbname=d", ["host": "/run/postgresql"], "prefer"),
        ("host=localhost", ["host": "db.example"], "prefer"), ("host=''", ["host": "db.example"], "prefer"),
        ("host=localhost", ["hostaddr": "192.0.2.2"], "verify-full"),
        ("host=localhost hostaddr=''", ["hostaddr": "192.0.2.2"], "prefer"),
        ("host=/tmp", ["hostaddr": "127.0.0.1"], "prefer"), ("host=localhost", ["service": "far"], "verify-full"),
        ("host=localhost", ["sslmode": "disable"], "prefer"),
        ("host=db.example", ["sslmode": "disable"], "verify-full"),
    ])
    func `variables count where the address leaves a host open`(
        text: String, variables: [String: String], mode: String
    ) throws {
        #expect(try Self.mode(text, variables) == mode)
    }

    @Test func `where libpq's defaults are not known no server is of this machine`() throws {
        #expect(try Self.mode("host=localhost", nil) == "verify-full")
    }

    @Test func `an address in print says where it leads`() throws {
        #expect(try PostgresAddress("service=far dbname=d", defaults: [:]).description == "service far/d")
        #expect(try PostgresAddress("dbname=d", defaults: ["host": "db.example"]).description == "db.example/d")
        #expect(try PostgresAddress("dbname=d", defaults: [:]).description == "local/d")
    }

    private static func mode(_ text: String, _ defaults: [String: String]? = [:]) throws -> String? {
        try PostgresAddress(text, defaults: defaults).parameters(applicationName: "a", timeouts: .service)
            .first { $0.keyword == "sslmode" }?.value
    }
}
