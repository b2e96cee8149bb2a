import Bridge
import BridgeHTTP
import Federation
import Yams

/// Apps and websites of the settings file.
enum ClientSettings {
    static let clients = Setting.objects(
        "clients", "Apps and websites. More can be added to the database with `drawbridge clients add`.")

    /// - Parameter defaults: for clients that do not say.
    static func read(_ settings: SettingsReader, defaults: ClientText.Defaults) -> [Client] {
        var found: [Client] = []
        for (index, node) in settings[clients].enumerated() {
            let name = "\(clients.key.name)[\(index)]"
            let place = SettingSource.file(line: node.mark?.line ?? 0)
            do {
                let client = try ClientText.read(yaml: try Yams.serialize(node: node), defaults: defaults)
                if found.contains(where: { $0.id == client.id }) {
                    settings.note(
                        SettingError("\(name).client_id", value: client.id.rawValue, at: place, "is taken"))
                }
                found.append(client)
            } catch let error as ClientDocumentError {
                for problem in error.problems {
                    settings.note(SettingError("\(name).\(problem.field)", at: place, problem.text))
                }
            } catch {
                settings.note(SettingError(name, at: place, "must be an object with a client's fields"))
            }
        }
        return found
    }
}
