import CPostgres
import OAuth2

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
    package init(_ text: String) throws(PostgresOpenError) { try self.init(text, defaults: Self.defaults()) }

    /// - Parameter defaults: what libpq takes for a parameter that the text leaves open; `nil` when that is not known.
    /// - Throws: ``PostgresOpenError/badAddress(_:)``.
    init(_ text: String, defaults: [String: String]?) throws(PostgresOpenError) {
        // To libpq that is the database of the account on this machine, which was not named.
        guard !text.allSatisfy(\.isWhitespace) else { throw .badAddress("it is empty") }
        guard !Self.splitsWithinPassword(text) else { throw .badAddress(Self.unencoded) }
        var problem: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(text, &problem) else {
            let message = problem.map { String(cString: $0).oneLine } ?? ""
            PQfreemem(problem)
            throw .badAddress(Self.reason(message, of: text))
        }
        defer { PQconninfoFree(options) }
        let stated = Self.values(options)
        // libpq would quote what is none when it connects.
        guard Self.arePorts(stated["port"] ?? "") else {
            let hint = Self.url(text) == nil ? "" : "; if it is not meant as one, \(Self.unencoded)"
            throw .badAddress("its port is not a number\(hint)")
        }
        // An empty value is stated too: libpq then reads no variable for it.
        let values = stated.merging(defaults ?? [:]) { stated, _ in stated }
        self.text = text
        isLocal = defaults != nil && Self.isLocal(values)
        let hosts = values["host"] ?? values["hostaddr"] ?? ""
        let place = hosts.isEmpty ? values["service"].map { "service \($0)" } ?? "local" : hosts
        description = "\(place)/\(values["dbname"] ?? values["user"] ?? "")"
    }

    /// Keywords and values for `PQconnectdbParams`; where a keyword occurs twice, the later one counts.
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

    /// Most of libpq's messages quote the text, which may hold a password. One that names a parameter does so too where
    /// a character of the password has ended it.
    private static func reason(_ message: String, of text: String) -> String {
        if message.hasPrefix("invalid percent-encoded token") { return unencoded }
        guard ["invalid URI query parameter", "invalid connection option"].contains(where: message.hasPrefix) else {
            return "it is neither a postgres:// URL nor libpq's key=value text"
        }
        let name = message.drop { $0 != "\"" }.dropFirst().dropLast()
        let mayBeSecret =
            text.contains("password") || url(text)?.drop { $0 != UInt8(ascii: "?") }.contains(UInt8(ascii: "@")) == true
            || !name.utf8.allSatisfy { ASCII.isLowercase($0) || $0 == UInt8(ascii: "_") }
        return mayBeSecret ? "it names a parameter that libpq does not know" : message
    }

    private static let unencoded =
        "a character of the user or password has to be percent-encoded: / is %2F, @ is %40, : is %3A, ? is %3F, "
        + "# is %23, % is %25"

    /// Whether a part of the password would count as a host or a database, which are printed: libpq looks for user and
    /// password before the first `@` alone, and not at all where a `/` comes before it.
    private static func splitsWithinPassword(_ text: String) -> Bool {
        guard let rest = url(text) else { return false }
        let at = UInt8(ascii: "@")
        let credentials = rest.prefix { $0 != at && $0 != UInt8(ascii: "/") }
        let place = rest.dropFirst(credentials.count)
        // In the query libpq takes it as it is: it is part of some users' names.
        return (place.first == at ? place.dropFirst() : place).prefix { $0 != UInt8(ascii: "?") }.contains(at)
    }

    /// What follows the scheme of a URL; `nil` for `key=value` text.
    private static func url(_ text: String) -> Substring.UTF8View? {
        ["postgresql://", "postgres://"].first(where: text.hasPrefix).map { text.dropFirst($0.count).utf8 }
    }

    /// Numbers with commas between them; one that is left out is the default.
    private static func arePorts(_ list: String) -> Bool {
        entries(list).allSatisfy { port in
            let words = port.split(separator: " ")
            return words.count <= 1 && words.allSatisfy { UInt16($0) != nil }
        }
    }

    /// Whether no connection leaves this machine. libpq connects to `hostaddr` where both are given and to `host` where
    /// an entry of it is empty, so every entry of both has to be local; what is not surely local is not.
    private static func isLocal(_ values: [String: String]) -> Bool {
        // The file that a service is described in is read again at each connection.
        guard values["service"] == nil else { return false }
        return entries(values["host"]).allSatisfy { isSocket($0) || $0 == "localhost" || isLoopback($0) }
            && entries(values["hostaddr"]).allSatisfy { $0.isEmpty || isLoopback($0) }
    }

    private static func entries(_ list: String?) -> [Substring] {
        list?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    }

    /// A path, an abstract name, or nothing: the socket that libpq was built for.
    private static func isSocket(_ host: Substring) -> Bool {
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@")
    }

    /// For IPv4, only four plain numbers: `127.db.example` is a name, and a leading zero makes a number octal.
    private static func isLoopback(_ address: Substring) -> Bool {
        guard address != "::1" else { return true }
        let numbers = address.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { number in UInt8(number).map { String($0) } == String(number) }
    }

    /// From `PGHOST`, `PGHOSTADDR` and the other variables, and from the service that `PGSERVICE` names.
    private static func defaults() -> [String: String]? {
        guard let options = PQconndefaults() else { return nil }
        defer { PQconninfoFree(options) }
        return values(options)
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
