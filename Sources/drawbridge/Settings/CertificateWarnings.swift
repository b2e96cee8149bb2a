import Bridge
import BridgeHTTP

/// A certificate that keeps browsers and apps away, or soon will.
struct CertificateWarnings {
    /// One sentence for each.
    let sentences: [String]

    /// What is left of a certificate's life when it is told of: automatic renewals come with a month left, or a third.
    private static let notice = Duration.seconds(14 * 86_400)

    init(in settings: DrawbridgeSettings, at now: Timestamp) {
        guard let pair = settings.listeners.tls?.pair, let expiry = try? pair.expiry(), expiry - now < Self.notice
        else {
            sentences = []
            return
        }
        let subject = "\(TLSFiles.certificate.key.name): the certificate in \(pair.certificatePath)"
        let day = expiry.rfc3339.prefix(10)
        sentences = [
            expiry <= now
                ? "\(subject) expired on \(day), so browsers and apps refuse this server: renew it, then send SIGHUP."
                : "\(subject) expires on \(day): renew it, then send SIGHUP."
        ]
    }
}
