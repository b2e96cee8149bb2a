import Bridge
import BridgeHTTP
import Federation
import SQLStorage

/// The settings in force, for `check-config`: each key, its value and where that comes from.
struct SettingsReport {
    let text: String

    init(_ inForce: SettingsInForce) {
        var lines: [String] = []
        for key in SettingKey.all where key.kind != .objects {
            let value = inForce.raw.values[key.name]
            // What is shown instead hides a password, or says what follows from other settings.
            let text = inForce.shown[key.name] ?? value?.text ?? key.fallback ?? "(not set)"
            lines.append("\(key.name): \(text.isEmpty ? "(empty)" : text)  # \(value?.source ?? .fallback)")
        }
        for issuer in inForce.settings.trustedIssuers {
            lines.append(
                "\(TrustedIssuerSettings.list.key.name): \(issuer.issuer), \(Self.describe(issuer.verification))")
        }
        for target in inForce.settings.auditForwarders {
            lines.append("\(AuditForwardTarget.list.key.name): \(target.name), \(target.receiver)")
        }
        for client in inForce.settings.clients {
            lines.append("\(ClientSettings.clients.key.name): \(client.id) (\(client.kind.rawValue)), \(client.name)")
        }
        text = lines.joined(separator: "\n")
    }

    private static func describe(_ verification: TrustedIssuerSettings.Verification) -> String {
        switch verification {
        case .hmac: "HMAC secret <redacted>"
        case .jwksFile(let path): "keys from \(path)"
        case .jwksURL(let link): "keys from \(link)"
        case .discovery: "keys by discovery"
        case .introspection(let endpoint, let clientID, _, _): "asks \(endpoint) as \(clientID)"
        }
    }
}
