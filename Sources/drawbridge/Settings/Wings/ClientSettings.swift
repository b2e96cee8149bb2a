import Bridge
import BridgeHTTP
import Federation
import Yams

/// Apps and websites of the settings file.
enum ClientSettings {
    static let clients = Setting.objects(
        "clients", "Apps and websites. More can be added to the database with `drawbridge clients add`.")

    /// - Parameters:
    ///   - defaults: for clients that do not say.
    ///   - publicDirectory: where their pictures are, besides the service's own.
    ///   - isProvider: whether anything here signs access tokens.
    static func read(
        _ settings: SettingsReader, defaults: ClientText.Defaults, publicDirectory: String?, isProvider: Bool
    ) -> [Client] {
        var found: [Client] = []
        for (index, node) in settings[clients].enumerated() {
            let name = "\(clients.key.name)[\(index)]"
            func place(of field: String) -> SettingSource {
                .file(line: (node.mapping?[field] ?? node).mark?.line ?? 0)
            }
            do {
                let client = try ClientText.read(yaml: try Yams.serialize(node: node), defaults: defaults)
                if found.contains(where: { $0.id == client.id }) {
                    settings.note(
                        SettingError(
                            "\(name).client_id", value: client.id.rawValue, at: place(of: "client_id"), "is taken"))
                }
                if let logo = client.theme.logo, !PublicFiles.haveAsset(logo, overriddenBy: publicDirectory) {
                    settings.note(
                        SettingError(
                            "\(name).theme_logo", value: logo, at: place(of: "theme_logo"),
                            "is no file in the folder assets of \(SiteSettings.publicDirectory.key.name)"))
                }
                // Its browsers would get the other profile's cookie, which the website never looks for.
                if !isProvider, client.kind == .web, client.cookieProfile == .tokens {
                    settings.note(
                        SettingError(
                            "\(name).cookie_profile", value: client.cookieProfile.rawValue,
                            at: place(of: "cookie_profile"),
                            "needs \(ProviderSettings.enabled.key.name), which is false: nothing would sign the access "
                                + "tokens in the cookies of \(client.id)"))
                }
                found.append(client)
            } catch let error as ClientDocumentError {
                for problem in error.problems {
                    settings.note(SettingError("\(name).\(problem.field)", at: place(of: problem.field), problem.text))
                }
            } catch {
                settings.note(
                    SettingError(
                        name, at: .file(line: node.mark?.line ?? 0), "must be an object with a client's fields"))
            }
        }
        return found
    }
}
