import Bridge
import BridgeHTTP
import Federation
import SQLStorage

/// The settings in force, for `check-config`: each key, its value and where that comes from.
struct SettingsReport {
    let text: String

    init(_ outcome: SettingsResolver.Outcome) {
        var lines: [String] = []
        for key in SettingKey.all where key.kind != .objects {
            let value = outcome.raw.values[key.name]
            let text =
                Self.censored(key, outcome.settings) ?? value?.text ?? Self.implied(key, outcome.settings)
                ?? key.fallback ?? "(not set)"
            lines.append("\(key.name): \(text.isEmpty ? "(empty)" : text)  # \(value?.source ?? .fallback)")
        }
        for issuer in outcome.settings.trustedIssuers {
            lines.append("trusted_issuers: \(issuer.issuer), \(Self.describe(issuer.verification))")
        }
        for target in outcome.settings.auditForwarders {
            lines.append("audit_forwarders: \(target.name), \(target.receiver)")
        }
        for client in outcome.settings.clients {
            lines.append("clients: \(client.id) (\(client.kind.rawValue)), \(client.name)")
        }
        text = lines.joined(separator: "\n")
    }

    /// Defaults that follow from another setting.
    private static func implied(_ key: SettingKey, _ settings: DrawbridgeSettings) -> String? {
        switch key {
        case .issuer: settings.issuer.description
        case .adminOrigin: settings.origins.admin.description
        case .loginTokenKeysFile: settings.loginTokenKeysFile
        case .masterKeyFile: settings.masterKeyPath
        case .auditSigningKeyFile: settings.auditSigningKeyFile
        default: nil
        }
    }

    private static func censored(_ key: SettingKey, _ settings: DrawbridgeSettings) -> String? {
        key == .database ? settings.database?.description : nil
    }

    private static func describe(_ verification: TrustedIssuerSettings.Verification) -> String {
        switch verification {
        case .hmac: "HMAC secret <redacted>"
        case .jwksFile(let path): "keys from \(path)"
        case .jwksURL(let link): "keys from \(link)"
        case .discovery: "keys by discovery"
        case .introspection(let endpoint, let clientID, _): "asks \(endpoint) as \(clientID)"
        }
    }
}
