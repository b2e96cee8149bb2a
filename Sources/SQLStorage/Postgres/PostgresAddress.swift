import CPostgres

/// Where a database is and how to get there: a `postgres://` URL or libpq's `key=value` text.
///
/// libpq reads it, so all its parameters work (`sslrootcert`, `passfile`, several hosts…). What the text leaves open is
/// chosen for a service: deadlines, and `sslmode=verify-full` for every server that is not on this machine.
package struct PostgresAddress: Sendable {
    /// May hold a password; never printed.
    private let text: String
    private let isLocal: Bool
    /// Host, port and database, for messages.
    package let description: String

    /// - Throws: ``PostgresOpenError/badAddress(_:)``.
    package init(_ text: String) throws(PostgresOpenError) {
        // To libpq that is the database of the account on this machine, which nobody has named.
        guard !text.allSatisfy(\.isWhitespace) else { throw .badAddress("it is empty") }
        var problem: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &problem) else {
            let message = problem.map { String(cString: $0).oneLine } ?? ""
            PQfreemem(problem)
            throw .badAddress(Self.reason(message))
        }
        defer { PQconninfoFree(options) }
        let values = Self.values(options)
        self.text = text
        let hosts = values["host"] ?? values["hostaddr"] ?? ""
        isLocal = hosts.split(separator: ",", omittingEmptySubsequences: false).allSatisfy(Self.isLocal)
        description = "\(hosts.isEmpty ? "local" : hosts)/\(values["dbname"] ?? values["user"] ?? "")"
    }

    /// Keywords and values for `PQconnectdbParams`; of two with one keyword the later counts.
    func parameters(applicationName: String, timeouts: PostgresTimeouts) -> [(keyword: String, value: String)] {
        [
            ("sslmode", isLocal ? "prefer" : "verify-full"),
            ("connect_timeout", String(timeouts.connect.components.seconds)),
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "10000"), ("application_name", applicationName),
            ("dbname", text),
            ("client_encoding", "UTF8"),
            // Of several hosts the one that takes writes: a standby would give old answers.
            ("target_session_attrs", "read-write"),
        ]
    }

    // Most of libpq's messages quote the text, which may hold a password; those that name a parameter do not.
    private static func reason(_ message: String) -> String {
        let isHarmless = ["invalid URI query parameter", "invalid connection option"].contains(where: message.hasPrefix)
        return isHarmless ? message : "it is neither a postgres:// URL nor libpq's key=value text"
    }

    private static func isLocal(_ host: Substring) -> Bool {
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "localhost" || host == "::1"
            || host.hasPrefix("127.")
    }

    private static func values(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
    }
}
