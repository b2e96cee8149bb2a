/// One rule that every implementation of a store must keep, as a value: each back end's tests run all of them.
package struct ConformanceCase<Store: Sendable>: Sendable, CustomStringConvertible {
    package let description: String
    /// Runs the case.
    ///
    /// `open` gives another handle on the same, initially empty, storage: one for each simulated server.
    /// - Throws: ``ConformanceFailure`` when the store breaks the rule.
    package let check: @Sendable (_ open: @escaping @Sendable () async throws -> Store) async throws -> Void

    package init(
        _ description: String,
        check: @escaping @Sendable (_ open: @escaping @Sendable () async throws -> Store) async throws -> Void
    ) {
        self.description = description
        self.check = check
    }
}

/// A rule that a store broke. Thrown, not recorded, so that the suite itself can be tested.
package struct ConformanceFailure: Error, CustomStringConvertible {
    package let description: String
}

func expect(_ holds: Bool, _ rule: @autoclosure () -> String) throws {
    guard holds else { throw ConformanceFailure(description: rule()) }
}

func expectEqual<Value: Equatable>(_ found: Value, _ wanted: Value, _ what: String) throws {
    guard found == wanted else {
        throw ConformanceFailure(description: "\(what): found \(found), wanted \(wanted)")
    }
}

/// Lets the tests of the suite itself know when a race begins.
package enum ConformanceRace {
    /// Called before the first of the calls is made.
    @TaskLocal package static var willBegin: (@Sendable () throws -> Void)?
}

/// Starts `count` calls at once and gives their results in order of their numbers.
func concurrently<Result: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Result
) async throws -> [Result] {
    try ConformanceRace.willBegin?()
    return try await withThrowingTaskGroup(of: (Int, Result).self) { group in
        for number in 0..<count { group.addTask { (number, try await body(number)) } }
        var results: [Int: Result] = [:]
        for try await (number, result) in group { results[number] = result }
        return (0..<count).compactMap { results[$0] }
    }
}
