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
    /// What is away, of an error: another one than before is reported, too.
    var outage: @Sendable (any Error) -> String = { _ in "" }

    /// Returns when the server stops.
    func run(_ round: () async throws -> Void) async {
        await run(on: AsyncTimer(every: interval).cancelOnGracefulShutdown(), round)
    }

    /// Runs a round at every interval, and whenever the bell rings; returns when the server stops.
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
        var told: String?
        for await _ in ticks {
            do {
                try await round()
                told = nil
            } catch {
                let outage = outage(error)
                if told != outage { logger.warning("could not \(task)", metadata: ["error": "\(error)"]) }
                told = outage
            }
        }
    }
}
