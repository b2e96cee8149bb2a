import Testing

@testable import Bridge

/// A change whose commit may have been made although nobody was told (contract §4.3).
@Suite struct AskingAgainTests {
    private let lost = StorageError.undecided("lost")

    /// What each attempt was told of whether it is the second, and what came of it all.
    private func attempts(
        _ outcomes: Result<String, any Error>...
    ) async -> (told: [Bool], outcome: Result<String, any Error>) {
        var told: [Bool] = []
        do {
            let made = try await StorageError.askingAgain { isSecond in
                told.append(isSecond)
                return try outcomes[told.count - 1].get()
            }
            return (told, .success(made))
        } catch {
            return (told, .failure(error))
        }
    }

    private func isUndecided(_ outcome: Result<String, any Error>) -> Bool {
        if case .failure(StorageError.undecided) = outcome { true } else { false }
    }

    @Test func `what was made is asked for once`() async throws {
        let (told, outcome) = await attempts(.success("made"))
        #expect(told == [false])
        #expect(try outcome.get() == "made")
    }

    @Test func `after a lost answer it is asked once more, and told so`() async throws {
        let (told, outcome) = await attempts(.failure(lost), .success("made"))
        #expect(told == [false, true])
        #expect(try outcome.get() == "made")
    }

    @Test func `a second lost answer leaves it open`() async {
        let (told, outcome) = await attempts(.failure(lost), .failure(lost))
        #expect(told == [false, true])
        #expect(isUndecided(outcome))
    }

    @Test func `a caller who goes before the second attempt leaves it open`() async {
        let (told, outcome) = await attempts(.failure(lost), .failure(CallerGone()))
        #expect(told == [false, true])
        #expect(isUndecided(outcome))
    }

    @Test(arguments: [CallerGone(), StorageError.unavailable("away")] as [any Error])
    func `where nothing was changed it is not asked again`(failure: any Error) async {
        let (told, outcome) = await attempts(.failure(failure))
        #expect(told == [false])
        #expect(!isUndecided(outcome))
        #expect(throws: (any Error).self) { try outcome.get() }
    }
}
