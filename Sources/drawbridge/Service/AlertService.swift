import Bridge
import Logging
import ServiceLifecycle

/// Watches the rates of audit events, and raises an alert when one is too high.
struct AlertService: Service {
    let board: AlertBoard
    let tallies: any AuditUpkeep
    /// `nil`: alerts go to the log and the console alone.
    let delivery: (any AlertDelivery)?
    let node: String
    let time: TimeSource
    let logger: Logger
    /// How long it waits before each further try: a receiver that is being replaced answers 503 for a moment.
    var pauses = [Duration.seconds(1), .seconds(5)]
    var interval = Duration.seconds(10)

    func run() async throws {
        guard !board.rules.isEmpty else { return try await gracefulShutdown() }
        await Recurring(interval: interval, task: "look for alerts", logger: logger).run(look)
    }

    func look() async throws {
        let now = time.now()
        let found = try await tallies.tallies(from: now - AlertRule.window, to: now + .seconds(60))
        let change = board.look(at: found, now: now)
        for alert in change.begun {
            logger.warning(
                "alert", metadata: ["alert": "\(alert.rule.name.rawValue)", "count": "\(alert.count)"])
            await tell(alert, isOver: false, at: now)
        }
        for alert in change.over {
            logger.notice("alert is over", metadata: ["alert": "\(alert.rule.name.rawValue)"])
            await tell(alert, isOver: true, at: now)
        }
    }

    private func tell(_ alert: Alert, isOver: Bool, at now: Timestamp) async {
        guard let delivery else { return }
        var pauses = pauses[...]
        while await !delivery.deliver(alert, isOver: isOver, node: node, at: now) {
            // A stop does not wait for a receiver.
            guard let pause = pauses.popFirst(),
                (try? await cancelWhenGracefulShutdown { try await Task.sleep(for: pause) }) != nil
            else {
                return logger.error(
                    "the alert webhook did not take an alert", metadata: ["alert": "\(alert.rule.name.rawValue)"])
            }
        }
    }
}
