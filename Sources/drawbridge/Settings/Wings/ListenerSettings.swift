import Bridge
import BridgeHTTP
import Foundation
import NIOCore

/// Where the server listens, and what a connection may take.
struct ListenerSettings: Sendable {
    static let listen = Setting.address(
        "listen", default: "127.0.0.1:8080", "Address and port for apps and browsers.")
    static let managementListen = Setting.address(
        "management_listen", default: "127.0.0.1:8081",
        "Address and port of /livez, /readyz and /metrics. Keep it inside.")
    static let trustedProxies = Setting.list(
        "trusted_proxies",
        "Networks (CIDR) whose X-Forwarded-For is believed. Empty: the connection's own address counts.")

    let main: ListenAddress
    let management: ListenAddress
    let trustedProxies: [NetworkPrefix]
    let tls: TLSFiles?
    let connections: ServerLimits

    /// - Parameter servesPlainOrigin: whether some origin is plain http.
    init(reading settings: SettingsReader, servesPlainOrigin: Bool) {
        main = settings[Self.listen]
        management = settings[Self.managementListen]
        if main == management, main.port != 0 {
            settings.note(
                Self.managementListen, value: "\(main)",
                "must differ from \(Self.listen.key.name) (\(settings.source(of: Self.listen))): each needs a port of "
                    + "its own")
        }
        trustedProxies = settings.elements(
            Self.trustedProxies, expecting: "a network such as 10.0.0.0/8 or fd00::/8"
        ) { NetworkPrefix($0) }
        tls = TLSFiles(reading: settings)
        connections = ServerLimits(reading: settings)
        if tls == nil, servesPlainOrigin, !main.isLoopback {
            settings.note(
                Self.listen, value: "\(main)",
                "would serve plain http to the network; listen on loopback, or set tls.certificate and an https "
                    + "public_origin")
        }
    }
}

/// Certificate and key for TLS in process.
struct TLSFiles: Hashable, Sendable {
    static let certificate = Setting.path(
        "tls.certificate", "PEM file with the certificate chain. Reread on SIGHUP.")
    static let privateKey = Setting.path(
        "tls.private_key", "PEM file with the private key; only its owner may read it. Reread on SIGHUP.")

    let certificate: String
    let privateKey: String

    /// - Returns: `nil` without a certificate, or with half of what it needs, which is noted.
    init?(reading settings: SettingsReader) {
        let certificate = settings[Self.certificate]
        let privateKey = settings[Self.privateKey]
        guard let certificate, let privateKey else {
            if certificate != nil {
                settings.noteMissing(Self.privateKey, because: Self.certificate)
            }
            if privateKey != nil {
                settings.noteMissing(Self.certificate, because: Self.privateKey)
            }
            return nil
        }
        self.certificate = certificate
        self.privateKey = privateKey
        let known = settings.problems.count
        if !FileManager.default.isReadableFile(atPath: certificate) {
            settings.note(Self.certificate, value: certificate, "cannot be read")
        }
        settings.requirePrivate(privateKey, for: Self.privateKey)
        if settings.problems.count == known { noteWhatDoesNotLoad(settings) }
    }

    /// The files as the listener and SIGHUP read them.
    var pair: TLSCertificate { TLSCertificate(certificatePath: certificate, keyPath: privateKey) }

    /// So that a start does not end later, after the database was opened, and a reload does not keep the old pair.
    private func noteWhatDoesNotLoad(_ settings: SettingsReader) {
        do throws(TLSCertificate.Problem) {
            _ = try pair.load()
        } catch {
            switch error {
            case .certificate: settings.note(Self.certificate, value: certificate, error.text)
            case .privateKey, .mismatch: settings.note(Self.privateKey, value: privateKey, error.text)
            }
        }
    }
}

extension ServerLimits {
    static let headerTimeout = Setting.duration(
        "http.header_timeout", .seconds(1)...(.seconds(300)), default: "75s",
        "How long a connection may be idle, or take to send a request's header; longer than a proxy keeps one. Four "
            + "times as long it may take next to nothing of an answer.")
    static let bodyTimeout = Setting.duration(
        "http.body_timeout", .seconds(1)...(.seconds(300)), default: "10s",
        "How long a request's body may take to arrive.")
    static let maximumHeaderSize = Setting.integer(
        "http.max_header_size", 4096...1_048_576, default: 32_768,
        "Bytes that all header fields of a request may have together.")
    static let connectionLimit = Setting.integer(
        "http.max_connections", 1...1_000_000, default: 10_000,
        "Connections served at once, no more than the process may open files for; further ones wait.")

    init(reading settings: SettingsReader) {
        self.init(
            headerTimeout: TimeAmount(settings[Self.headerTimeout]),
            bodyTimeout: TimeAmount(settings[Self.bodyTimeout]),
            maximumHeaderSize: settings[Self.maximumHeaderSize],
            maximumConnections: settings[Self.connectionLimit])
    }
}
