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
        _ settings: SettingsReader, defaults: ClientSettingText.Defaults, publicDirectory: String?, isProvider: Bool
    ) -> [Client] {
        var found: [Client] = []
        var ids: Set<String> = []
        for (index, node) in settings[clients].enumerated() {
            let name = "\(clients.key.name)[\(index)]"
            func place(of field: String) -> SettingSource {
                .file(line: (node.mapping?[field] ?? node).mark?.line ?? 0)
            }
            var faulty: Set<String> = []
            do {
                found.append(try ClientSettingText.read(yaml: try Yams.serialize(node: node), defaults: defaults))
            } catch let error as ClientDocumentError {
                for problem in error.problems {
                    faulty.insert(problem.field)
                    settings.note(SettingError("\(name).\(problem.field)", at: place(of: problem.field), problem.text))
                }
            } catch {
                settings.note(
                    SettingError(
                        name, at: .file(line: node.mark?.line ?? 0), "must be an object with a client's fields"))
                continue
            }
            // What is wrong with one field must not hide what another means here: problems are listed at once.
            let sound = Fields(node: node, faulty: faulty)
            if let id = sound["client_id"], !ids.insert(id).inserted {
                settings.note(SettingError("\(name).client_id", value: id, at: place(of: "client_id"), "is taken"))
            }
            if let logo = sound["theme_logo"], !PublicFiles.hasAsset(logo, overriddenBy: publicDirectory) {
                settings.note(
                    SettingError(
                        "\(name).theme_logo", value: logo, at: place(of: "theme_logo"),
                        "is not a file in the folder assets of \(SiteSettings.publicDirectory.key.name)"))
            }
            // Its browsers would get the other profile's cookie, which the website never looks for.
            if !isProvider, sound["client_type"] == Client.Kind.web.rawValue, let profile = sound["cookie_profile"],
                profile == Client.CookieProfile.tokens.rawValue
            {
                settings.note(
                    SettingError(
                        "\(name).cookie_profile", value: profile, at: place(of: "cookie_profile"),
                        "needs \(ProviderSettings.enabled.key.name), which is false: nothing would sign the access "
                            + "tokens in the cookies of \(sound["client_id"] ?? name)"))
            }
        }
        return found
    }

    /// The texts of a client's fields that its document's own rules have nothing against.
    private struct Fields {
        let node: Node
        let faulty: Set<String>

        subscript(field: String) -> String? {
            faulty.contains(field) ? nil : node.mapping?[field]?.scalar?.string
        }
    }
}
