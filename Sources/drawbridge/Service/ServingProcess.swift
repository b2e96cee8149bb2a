import Foundation
import UnixSignals

/// What a process that serves does before anything else.
struct ServingProcess: Sendable {
    /// What SIGHUP asks of it.
    enum HangUp: Sendable {
        case reload
        /// The terminal was closed. What nohup keeps running goes on.
        case stop
    }

    /// Each SIGHUP from here on, for one listener alone, which may come later; `nil` where SIGHUP stops.
    ///
    /// A start may wait for its database for long. A SIGHUP that nobody listens for ends the process, and systemd takes
    /// that for a clean end (systemd.service(5), `Restart=`). What comes before the server runs is carried out once it
    /// does: the settings file may have been read before it was changed.
    let hangUps: UnixSignalsSequence?
    /// They end the service once it runs. Until then they end the process, whose start may wait for its database for long:
    /// a demo then leaves its folder behind, also where its terminal was closed.
    let stopSignals: [UnixSignal]
    let openFiles: OpenFiles

    init(hangUp: HangUp = .reload) async {
        openFiles = OpenFiles.raised()
        switch hangUp {
        case .reload:
            hangUps = await UnixSignalsSequence(trapping: .sighup)
            stopSignals = [.sigterm, .sigint]
        case .stop:
            hangUps = nil
            stopSignals = [.sigterm, .sigint] + (SignalCleanup.isIgnored(SIGHUP) ? [] : [.sighup])
        }
    }
}
