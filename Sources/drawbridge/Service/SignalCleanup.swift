import Dispatch
import Foundation

/// Ends the process at a signal, as ever, but not before it has removed what it wrote.
struct SignalCleanup {
    private static let signals = [SIGHUP, SIGINT, SIGTERM]
    private let sources: [(signal: Int32, source: any DispatchSourceSignal)]

    /// - Parameter clean: called while whatever is written goes on being written.
    init(_ clean: @escaping @Sendable () -> Void) {
        // What nohup or a script has the process ignore it goes on ignoring.
        sources = Self.signals.filter { !Self.isIgnored($0) }.map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal, queue: .global())
            source.setEventHandler {
                clean()
                // As shells have it of a process that a signal ended.
                _exit(128 + signal)
            }
            source.resume()
            return (signal, source)
        }
    }

    /// From here on signals end the process as they do by themselves.
    func end() {
        for (number, source) in sources {
            source.cancel()
            signal(number, SIG_DFL)
        }
    }

    static func isIgnored(_ signal: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        // Functions have no `==`.
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
