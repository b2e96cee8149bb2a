import Bridge
import Federation
import Foundation
import OAuth2

extension UpstreamProviderSettings {
    static let list = Setting.objects(
        "upstream_providers", "OpenID Providers of others that users may sign in with.")

    static func read(_ settings: SettingsReader) -> [UpstreamProviderSettings] {
        settings.entries(of: list, named: "id") {
            UpstreamProviderSettings(&$0, absolute: settings.absolute)
        }
    }
}

extension UpstreamProviderSettings {
    /// One entry of `upstream_providers` as the settings file writes it.
    /// - Returns: `nil` when something is wrong; `fields` then says what.
    init?(_ fields: inout SettingFields, absolute: (String) -> String) {
        let id = fields.requiredText("id")
        if let id,
            id.utf8.count > 32 || !id.utf8.allSatisfy({ ASCII.isLowercase($0) || ASCII.isDigit($0) })
        {
            fields.note("id", value: id, "must be 1 to 32 lower-case letters and digits")
        }
        let name = fields.text("name")
        let issuer = fields.requiredText("issuer")
        if let issuer, EndpointURL(issuer, allowingQuery: false) == nil {
            fields.note("issuer", value: issuer, "must be an https URL")
        }
        let clientID = fields.requiredText("client_id")
        let secret = Self.secret(&fields, absolute: absolute)
        let scope = fields.text("scope") ?? Self.defaultScope
        if !scope.split(separator: " ").contains("openid") { fields.note("scope", value: scope, "must hold openid") }
        let isTrustedWithFactors = fields.boolean("second_factor_counts") ?? false
        fields.refuseUnknown()
        guard let id, let issuer, let clientID, let secret, fields.problems.isEmpty else { return nil }
        self.init(
            id: id, name: name ?? id, issuer: issuer, clientID: clientID, clientSecret: secret, scope: scope,
            isTrustedWithFactors: isTrustedWithFactors)
    }

    private static func secret(_ fields: inout SettingFields, absolute: (String) -> String) -> Secret<String>? {
        guard let path = fields.requiredText("client_secret_file").map(absolute) else { return nil }
        do {
            let text = String(decoding: try PrivateFile.read(path), as: UTF8.self).trimmingCharacters(in: .newlines)
            guard !text.isEmpty else {
                fields.note("client_secret_file", value: path, "is empty")
                return nil
            }
            return Secret(text)
        } catch {
            fields.note("client_secret_file", value: path, "\(error)")
            return nil
        }
    }
}
