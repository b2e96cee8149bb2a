import Bridge
import Federation
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
        let path = fields.requiredText(Self.secretField).map(absolute)
        let secret = fields.secret(Self.secretField, at: path) { try $0.text() }
        let scope = fields.text("scope") ?? Self.defaultScope
        if !scope.split(separator: " ").contains("openid") { fields.note("scope", value: scope, "must hold openid") }
        let isTrustedWithFactors = fields.boolean("second_factor_counts") ?? false
        fields.refuseUnknown()
        guard let id, let issuer, let clientID, let path, let secret, fields.problems.isEmpty else { return nil }
        self.init(
            id: id, name: name ?? id, issuer: issuer, clientID: clientID, clientSecret: secret,
            rereadSecret: { try Self.reread(SecretFile(path: path), of: id) }, scope: scope,
            isTrustedWithFactors: isTrustedWithFactors)
    }

    private static let secretField = "client_secret_file"

    /// The secret as it is at a reload.
    private static func reread(_ file: SecretFile, of id: String) throws(SettingError) -> Secret<String> {
        do {
            return try file.text()
        } catch {
            throw SettingError("\(list.key.name)[\(id)].\(secretField)", value: file.path, "\(error)")
        }
    }
}
