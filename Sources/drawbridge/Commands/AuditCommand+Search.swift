import ArgumentParser
import Bridge
import Foundation

/// What a search asks for, as options.
struct AuditFilterOptions: ParsableArguments {
    @Option(help: "At or after this instant, RFC 3339.") var from: String?
    @Option(help: "Before this instant, RFC 3339.") var to: String?
    @Option(help: "An event type, such as login_token.redeemed.") var type: String?
    @Option(help: "success or failure.") var outcome: String?
    @Option(help: "A reason, such as expired.") var reason: String?
    // What is looked for by its name may begin with a dash.
    @Option(
        name: .customLong("sub"), parsing: .unconditional,
        help: "A user's subject, as `drawbridge users list` prints it.")
    var subject: String?
    @Option(name: .customLong("client"), parsing: .unconditional, help: "An app or a website.") var clientID: String?
    @Option(name: .customLong("sid"), parsing: .unconditional, help: "A session.") var sessionID: String?
    @Option(name: .customLong("token"), parsing: .unconditional, help: "A login token's id.") var tokenID: String?
    @Option(name: .customLong("ip"), help: "An address, or a network such as 203.0.113.0/24.") var address: String?
    @Option(name: .customLong("request"), parsing: .unconditional, help: "A request id.") var requestID: String?
    @Option(
        name: .customLong("text"), parsing: .unconditional,
        help: "Looked for in user, clients, type, reason, address, user agent and detail.")
    var text: String?

    func filter() throws -> AuditFilter {
        var filter = AuditFilter()
        filter.from = try from.map { try instant($0, "--from") }
        filter.to = try to.map { try instant($0, "--to") }
        filter.type = try type.map(Self.eventType)
        if let outcome {
            guard let word = AuditEvent.Outcome(rawValue: outcome) else {
                throw ValidationError("--outcome must be success or failure.")
            }
            filter.outcome = word
        }
        filter.reason = reason
        filter.subject = subject.map(Subject.init(rawValue:))
        filter.clientID = clientID.map(ClientID.init(rawValue:))
        filter.sessionID = sessionID.map(SessionID.init(rawValue:))
        filter.tokenID = tokenID.map(TokenID.init(rawValue:))
        // Text that no address could equal finds nothing, and would look like good news.
        if let address, !filter.ask(forAddress: address) {
            throw ValidationError("--ip \(AuditFilter.addressExpectation).")
        }
        filter.requestID = requestID
        if let text, text.utf8.count > Self.longestText {
            throw ValidationError("--text must be at most \(Self.longestText) bytes.")
        }
        filter.text = text
        return filter
    }

    /// Far below what SQLite takes for a pattern (50,000 bytes), escaped and in small letters.
    private static let longestText = 1024

    /// A type that no version has written finds nothing, and would look like good news.
    private static func eventType(_ text: String) throws -> AuditEventType {
        let names = AuditEventType.all.map(\.rawValue)
        guard names.contains(text) else {
            let hint = NearestName.of(text, among: names).map { ": did you mean \($0)?" } ?? "."
            throw ValidationError(
                "--type names no type of event\(hint) There are:\n  \(names.sorted().joined(separator: "\n  "))\n")
        }
        return AuditEventType(rawValue: text)
    }

    private func instant(_ text: String, _ option: String) throws -> Timestamp {
        guard let instant = Timestamp(rfc3339: text) else {
            throw ValidationError("\(option) must be an instant such as 2026-11-21T07:00:00Z.")
        }
        return instant
    }
}

extension AuditCommand {
    struct Search: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the events that match, newest first.",
            discussion: """
                Example:
                  drawbridge audit search --data /tmp/demo --type login_token.replayed \\
                      --format jsonl
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var filter: AuditFilterOptions

        @Option(name: .shortAndLong, help: "How many at most, up to \(AuditPage.sizes.upperBound).")
        var limit = 50

        @Option(help: "text, jsonl or csv.")
        var format = Format.text

        func validate() throws { try AuditCommand.checkPageSize(limit, of: "--limit") }

        func run() async throws {
            let filter = try filter.filter()
            try await options.reading { storage in
                let page = try await storage.search(filter, before: nil, limit: limit)
                try StandardOutput.write(format.header)
                for entry in page.entries { try StandardOutput.write(format.line(entry)) }
                if page.next != nil { StandardError.write("There are more; narrow the search, or use audit export.\n") }
                if page.entries.isEmpty { try await tellSubject(ofUserNamed: filter.subject?.rawValue, in: storage) }
            }
        }

        /// A user name where a subject belongs finds nothing, and would look like good news.
        private func tellSubject(ofUserNamed text: String?, in storage: any BridgeStorage) async throws {
            guard let text, let username = Username(text), let account = try await storage.account(named: username),
                account.subject.rawValue != text
            else { return }
            StandardError.write(
                "No event matches. The account \(username) has another subject, which --sub takes: "
                    + "\(account.subject.rawValue)\n")
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the whole log, or all that matches, to standard output.",
            discussion: """
                The whole log as jsonl holds checkpoints and cuts too, so it can be verified without the \
                database.

                Example:
                  drawbridge audit export --config drawbridge.yaml --format jsonl \\
                      > audit.jsonl
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var filter: AuditFilterOptions

        @Option(help: "jsonl, csv or, for other analysis tools, ocsf.jsonl.")
        var format = AuditExport.Format.jsonLines

        func run() async throws {
            let filter = try filter.filter()
            try await options.reading { try await Self.write(filter, of: $0, as: format) }
        }

        private static func write(
            _ filter: AuditFilter, of storage: any BridgeStorage, as format: AuditExport.Format
        ) async throws {
            // How many a search will find nobody knows.
            let total = try await filter == AuditFilter() ? storage.eventTotal() : nil
            let progress = Progress(of: "lines", total: total, besideOutput: true)
            defer { progress.end() }
            var lines = 0
            try await AuditExport(storage).write(matching: filter, as: format) { bytes in
                try StandardOutput.write(bytes)
                guard progress.isShown else { return }
                lines += bytes.count { $0 == UInt8(ascii: "\n") }
                progress.reach(lines)
            }
        }
    }
}

extension AuditExport.Format: ExpressibleByArgument {}
