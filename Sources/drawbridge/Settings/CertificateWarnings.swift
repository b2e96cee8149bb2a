import Bridge
import BridgeHTTP

/// A certificate that keeps browsers and apps away, or soon will.
struct CertificateWarnings {
    /// One sentence for each.
    let sentences: [String]

    /// What is left of a certificate's life when it is told of: automatic renewals come with a month left, or a third.
    private static let notice = Duration.seconds(14 * 86_400)

    init(in settings: DrawbridgeSettings, at now: Timestamp) {
        let pair = settings.listeners.tls?.pair
        self.init(of: pair?.certificatePath ?? "", expiring: try? pair?.expiry(), at: now)
    }

    /// - Parameters:
    ///   - path: that of the file that it was read from.
    ///   - expiry: `nil` where there is none, or none that can be read.
    ///   - isRenewed: whether there is a later one by now.
    ///   - isRefused: whether the last SIGHUP could not take in what the files held.
    init(
        of path: String, expiring expiry: Timestamp?, isRenewed: Bool = false, isRefused: Bool = false,
        at now: Timestamp
    ) {
        guard let expiry, expiry - now < Self.notice else {
            sentences = []
            return
        }
        let subject = "\(TLSFiles.certificate.key.name): the certificate in \(isRenewed ? "use from " : "")\(path)"
        let day = expiry.rfc3339.prefix(10)
        let remedy =
            switch (isRenewed, isRefused) {
            case (true, true):
                "its file has a later one, which could not be taken in (see `could not reload certificate`): mend that, then "
                    + "send SIGHUP again."
            case (true, false): "its file has a later one, so send SIGHUP."
            case (false, _): "renew it, then send SIGHUP."
            }
        sentences = [
            expiry <= now
                ? "\(subject) expired on \(day), so browsers and apps refuse this server: \(remedy)"
                : "\(subject) expires on \(day): \(remedy)"
        ]
    }
}
