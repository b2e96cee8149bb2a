import Bridge
import Logging
import ServiceLifecycle

/// Work that a server does again and again until it stops; an outage is reported once, not at every try.
struct Recurring: Sendable {
    /// Between the end of one round and the next, however long a round takes.
    let interval: Duration
    /// What it does, as a log line ends that begins with "could not".
    let task: String
    let logger: Logger

    /// Returns when the server stops.
    func run(_ round: () async throws -> Void) async {
        await run(on: AsyncTimer(every: interval).cancelOnGracefulShutdown(), round)
    }

    /// The same, with a round as well whenever somebody rings.
    func run(wokenBy bell: NoticeBell, _ round: () async throws -> Void) async {
        let rings = bell.rings()
        var timer = ringing(bell)
        await run(on: rings.cancelOnGracefulShutdown()) {
            timer.cancel()
            // From the end of the round on: after one that was slow there is a pause, too.
            defer { timer = ringing(bell) }
            try await round()
        }
        timer.cancel()
    }

    /// Rings once, after the interval.
    private func ringing(_ bell: NoticeBell) -> Task<Void, Never> {
        Task {
            guard (try? await Task.sleep(for: interval)) != nil else { return }
            bell.ring()
        }
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
