import Logging
import ServiceLifecycle

/// Work that a server does again and again until it stops; an outage is reported once, not at every try.
struct Recurring: Sendable {
    /// Between two rounds; a round that takes longer delays the next one.
    let interval: Duration
    /// What it does, as a log line ends that begins with "could not".
    let task: String
    let logger: Logger

    /// Returns when the server stops.
    func run(_ round: () async throws -> Void) async {
        await run(on: AsyncTimer(every: interval).cancelOnGracefulShutdown(), round)
    }

    /// - Parameter ticks: a round for each.
    func run<Ticks: AsyncSequence>(on ticks: Ticks, _ round: () async throws -> Void) async
    where Ticks.Element == Void, Ticks.Failure == Never {
        var isFailing = false
        for await _ in ticks {
            do {
                try await round()
                isFailing = false
            } catch {
                if !isFailing { logger.warning("could not \(task)", metadata: ["error": "\(error)"]) }
                isFailing = true
            }
        }
    }
}
