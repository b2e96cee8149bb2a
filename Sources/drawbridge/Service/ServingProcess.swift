import UnixSignals

/// What a process that serves does before anything else.
struct ServingProcess: Sendable {
    /// Each SIGHUP from here on, for one listener alone, which may come later.
    ///
    /// A start may wait for its database for long. A SIGHUP that nobody listens for ends the process, and systemd takes
    /// that for a clean end (systemd.service(5), `Restart=`). What comes before the server runs is carried out once it
    /// does: the settings file may have been read before it was changed.
    let hangUps: UnixSignalsSequence
    let openFiles: OpenFiles

    init() async {
        openFiles = OpenFiles.raised()
        hangUps = await UnixSignalsSequence(trapping: .sighup)
    }
}
