import Bridge
import Federation
import Foundation
import OAuth2

extension AuditForwardTarget {
    static let list = Setting.objects(
        "audit_forwarders", fieldsReadOnce: [authorizationField],
        "Receivers that every audit event is sent to: syslog over TLS, or JSON Lines over https.")
    private static let authorizationField = "authorization_file"

    static func read(_ settings: SettingsReader) -> [AuditForwardTarget] {
        settings.entries(of: list, named: "name") {
            AuditForwardTarget(&$0, absolute: settings.absolute)
        }
    }
}

extension AuditForwardTarget {
    private static let syslogTLSPort = 6514

    /// One entry of `audit_forwarders` as the settings file writes it.
    /// - Returns: `nil` when something is wrong; `fields` then says what.
    init?(_ fields: inout SettingFields, absolute: (String) -> String) {
        let name = fields.requiredText("name")
        if let name,
            name.utf8.count > 32
                || !name.utf8.allSatisfy({
                    ASCII.isLowercase($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-")
                })
        {
            fields.note("name", value: name, "must be 1 to 32 lower-case letters, digits and hyphens")
        }
        let start = Self.start(&fields)
        let enterprise = Self.enterprise(&fields)
        let tls = Self.tls(&fields, absolute: absolute)
        let receiver = Self.receiver(&fields, tls: tls, absolute: absolute)
        fields.refuseUnknown()
        guard let name, let receiver, fields.problems.isEmpty else { return nil }
        self.init(name: name, receiver: receiver, start: start, enterprise: enterprise)
    }

    private static func receiver(
        _ fields: inout SettingFields, tls: AuditForwardTLS, absolute: (String) -> String
    ) -> Receiver? {
        let path = fields.text(authorizationField).map(absolute)
        let authorization = fields.secret(authorizationField, at: path) { try $0.authorization() }
        let allowsPlaintext = fields.boolean("allow_plaintext") ?? false
        // One that cannot be read is not told again: it may hold a password.
        guard let url = fields.requiredText("url") else { return nil }
        if url.hasPrefix("https://") || url.hasPrefix("http://") {
            guard let endpoint = EndpointURL(url) else {
                fields.note(
                    "url", "must be https, or http to this machine itself, without user, password or fragment")
                return nil
            }
            return .jsonLines(url: endpoint, authorization: authorization, tls: tls)
        }
        if authorization != nil { fields.note(authorizationField, "is for https only: syslog has no place for it") }
        if url.hasPrefix("tls://") {
            guard let place = place(url.dropFirst(6), port: syslogTLSPort) else {
                fields.note("url", "must be tls://host or tls://host:port, and nothing else")
                return nil
            }
            return .syslog(host: place.host, port: place.port, tls: tls)
        }
        guard url.hasPrefix("tcp://"), let place = place(url.dropFirst(6), port: nil) else {
            fields.note("url", "must be tls://host:port, tcp://host:port or an https URL")
            return nil
        }
        if tls != AuditForwardTLS() { fields.note("url", value: url, "must be tls:// when certificates are named") }
        if !allowsPlaintext, !["localhost", "127.0.0.1", "::1"].contains(place.host) {
            fields.note(
                "url", value: url,
                "would send users and addresses in the clear; use tls://, or set allow_plaintext: true")
        }
        return .syslog(host: place.host, port: place.port, tls: nil)
    }

    /// `host`, `host:port`, `[address]:port`; nothing after it.
    private static func place(_ text: Substring, port standard: Int?) -> (host: String, port: Int)? {
        var host = String(text)
        var port = standard
        // The colons of a bracketed address do not begin a port.
        if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
            let digits = text[text.index(after: colon)...]
            guard let number = Int(digits), (1...65_535).contains(number), String(number) == digits else { return nil }
            host = String(text[..<colon])
            port = number
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard NetworkAddress(host)?.family == .v6 else { return nil }
        } else {
            guard !host.isEmpty, host.utf8.count <= 253, host.utf8.allSatisfy(ASCII.isNameByte) else { return nil }
        }
        return port.map { (host, $0) }
    }

    private static func tls(_ fields: inout SettingFields, absolute: (String) -> String) -> AuditForwardTLS {
        let files = ClientTLSFiles(
            authority: fields.text("ca_file").map(absolute), certificate: fields.text("certificate").map(absolute),
            privateKey: fields.text("private_key").map(absolute))
        if files.isHalf {
            fields.note(
                files.certificate == nil ? "private_key" : "certificate", "needs the other of certificate, private_key")
        }
        let problems = files.problems
        for problem in problems { fields.note(field(of: problem.file), value: problem.path, problem.text) }
        let tls = AuditForwardTLS(
            authorityPath: files.authority, certificatePath: files.certificate, keyPath: files.privateKey)
        if problems.isEmpty, (try? tls.check()) == nil {
            fields.note("ca_file", value: files.authority, "cannot be used for TLS")
        }
        return tls
    }

    private static func field(of file: ClientTLSFiles.File) -> String {
        switch file {
        case .authority: "ca_file"
        case .certificate: "certificate"
        case .privateKey: "private_key"
        }
    }

    private static func start(_ fields: inout SettingFields) -> AuditForwarder.Start {
        guard let word = fields.text("start") else { return .beginning }
        if let start = AuditForwarder.Start(rawValue: word) { return start }
        fields.note("start", value: word, "must be beginning or now")
        return .beginning
    }

    private static func enterprise(_ fields: inout SettingFields) -> Int {
        guard let text = fields.text("enterprise_number") else { return SyslogMessage.exampleEnterprise }
        // IANA's numbers are far smaller; the name of structured data has 32 characters in all.
        if let number = Int(text), (1...4_294_967_295).contains(number), String(number) == text { return number }
        fields.note("enterprise_number", value: text, "must be a whole number from 1 to 4294967295")
        return SyslogMessage.exampleEnterprise
    }
}
