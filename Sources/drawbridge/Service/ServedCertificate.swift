import Bridge
import BridgeHTTP
import CoreMetrics
import Logging
import NIOSSL
import ServiceLifecycle
import Synchronization

/// The certificate that the listener shows, until a reload takes in another one.
///
/// Whoever renews it says so by SIGHUP, and what is broken may be just that. So it is looked at daily as well, and what is
/// told is of the one in use, not of its file.
final class ServedCertificate: Service {
    /// What the listener reads.
    let context: Reloadable<NIOSSLContext>
    private let files: TLSCertificate
    /// When the certificate in use expires.
    private let expiry: Mutex<Timestamp?>
    /// Whether the last reload could not take in what the files held.
    private let isRefused = Mutex(false)
    private let metrics: any MetricsFactory
    private let time: TimeSource
    private let logger: Logger

    /// - Throws: ``TLSCertificate/Problem``.
    init(_ files: TLSCertificate, metrics: any MetricsFactory, time: TimeSource, logger: Logger) throws {
        let read = try files.read()
        self.files = files
        self.metrics = metrics
        self.time = time
        self.logger = logger
        context = Reloadable(read.context)
        expiry = Mutex(read.expiry)
        record(read.expiry)
    }

    /// Takes in what the files hold now.
    /// - Throws: ``TLSCertificate/Problem``; then what is in use stays.
    func reload() throws {
        isRefused.withLock { $0 = true }
        let read = try files.read()
        isRefused.withLock { $0 = false }
        context.replace(with: read.context)
        expiry.withLock { $0 = read.expiry }
        record(read.expiry)
    }

    /// Has the log say that it has expired, or soon will.
    func warn() {
        guard let expiry = self.expiry.withLock({ $0 }) else { return }
        let isRenewed = (try? files.expiry()).map { $0 > expiry } ?? false
        let warnings = CertificateWarnings(
            of: files.certificatePath, expiring: expiry, isRenewed: isRenewed, isRefused: isRefused.withLock { $0 },
            at: time.now())
        for warning in warnings.sentences { logger.warning("\(warning)") }
    }

    func run() async throws {
        await Recurring(interval: .seconds(86_400), task: "look at the certificate", logger: logger).run { warn() }
    }

    private func record(_ expiry: Timestamp?) {
        guard let expiry else { return }
        Gauge(label: "drawbridge_tls_certificate_expiry_timestamp_seconds", factory: metrics).record(expiry.seconds)
    }
}
