/// Queries of one look, of which a later one is needed or not by what those before it gave. Where each is a round trip
/// all are asked at once; in a file each is asked when it is needed.
struct QueryCourse {
    private let session: any SQLSession
    private let calls: [SQLCall]
    /// `nil` where none was asked ahead.
    private let answers: [SQLAnswer]?

    /// - Throws: ``SQLError``.
    init(_ calls: [SQLCall], in session: any SQLSession, of dialect: SQLDialect) throws {
        self.session = session
        self.calls = calls
        answers = try dialect.isRemote ? session.runAll(calls) : nil
    }

    /// The rows that the query of this place gives.
    /// - Throws: ``SQLError``.
    func rows(_ place: Int) throws -> [SQLRow] {
        if let answers { return answers[place].rows }
        return try session.run(calls[place].statement, calls[place].arguments)
    }
}
