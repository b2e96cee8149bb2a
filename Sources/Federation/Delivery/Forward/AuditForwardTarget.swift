package import Bridge

/// A receiver of audit events, as the settings name it.
package struct AuditForwardTarget: Sendable {
    /// Where events go, and by which protocol (docs/audit-forwarding.md).
    package enum Receiver: Sendable {
        /// RFC 5424 messages with octet counts over TCP (RFC 6587), or over TLS (RFC 5425).
        case syslog(host: String, port: Int, tls: AuditForwardTLS?)
        /// JSON Lines, posted; an answer of 2xx acknowledges them.
        case jsonLines(url: EndpointURL, authorization: Secret<String>?, tls: AuditForwardTLS)
    }

    /// In metrics, logs and the database: renaming a target makes it a new one.
    package let name: String
    package let receiver: Receiver
    package let start: AuditForwarder.Start
    /// The private enterprise number in the name of syslog's structured data.
    package let enterprise: Int

    package init(name: String, receiver: Receiver, start: AuditForwarder.Start, enterprise: Int) {
        self.name = name
        self.receiver = receiver
        self.start = start
        self.enterprise = enterprise
    }

    package var transport: any AuditForwardTransport {
        switch receiver {
        case .syslog(let host, let port, let tls):
            SyslogTransport(host: host, port: port, tls: tls, message: SyslogMessage(enterprise: enterprise))
        case .jsonLines(let url, let authorization, let tls):
            JSONLinesTransport(url: url, authorization: authorization, tls: tls)
        }
    }
}

extension AuditForwardTarget.Receiver: CustomStringConvertible {
    /// Where it is, without anything secret. Shown to people, and never stored.
    package var description: String {
        switch self {
        case .syslog(let host, let port, let tls):
            "\(tls == nil ? "tcp" : "tls")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        // Some receivers want a token in the path, some in the query.
        case .jsonLines(let url, _, _): url.description == url.origin ? url.origin : "\(url.origin)/…"
        }
    }
}
