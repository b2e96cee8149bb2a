import Bridge
import HTTPTypes
import Hummingbird
import Logging

/// Tells the service log of requests whose `Host` is configured nowhere. Where our origins are apart, their answer is
/// 404; a proxy that does not pass `Host` on gets nothing else.
final class UnknownHosts: Sendable {
    /// As many octets as a name may have (RFC 1035 §2.3.4).
    private static let longest = 255

    private let origins: OriginReader
    private let notices: OnceAMinute

    init(origins: OriginReader, time: TimeSource) {
        self.origins = origins
        notices = OnceAMinute(time: time)
    }

    /// - Parameter request: one that was not answered at the place that it names.
    func tell(of request: Request, logger: Logger) {
        guard !origins.isKnown(request), notices.isDue() else { return }
        let host = String((request.head.authority ?? "").prefix(Self.longest))
        logger.warning(
            """
            A request got 404 because its Host is no origin of the settings; the proxy has to pass Host on, with its port
            """,
            metadata: ["host": "\(HeaderText.encode(host).prefix(Self.longest))"])
    }
}
