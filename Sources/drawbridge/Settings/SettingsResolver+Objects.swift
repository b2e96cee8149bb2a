import Bridge
import BridgeHTTP
import Federation
import Foundation
import Yams

// The two lists of objects that only the file can hold.
extension SettingsResolver {
    /// - Parameter areOriginsApart: whether provider and console are elsewhere, so that a website may have their paths.
    mutating func clients(areOriginsApart: Bool) -> [Client] {
        let lifetime = duration(.sessionLifetime)
        let idle = duration(.sessionIdle)
        if idle > lifetime {
            note(
                SettingProblem(
                    .sessionIdle, value: DurationText.describe(idle), at: source(of: .sessionIdle),
                    "must not be longer than session.lifetime"))
        }
        var clients: [Client] = []
        for (index, node) in (raw.objects[SettingKey.clients.name] ?? []).enumerated() {
            let place = SettingSource.file(line: node.mark?.line ?? 0)
            do {
                let text = try Yams.serialize(node: node)
                let client = try ClientText.read(
                    yaml: text, defaults: ClientText.Defaults(lifetime: lifetime, idle: idle))
                if clients.contains(where: { $0.id == client.id }) {
                    note(
                        SettingProblem("clients[\(index)].client_id", value: client.id.rawValue, at: place, "is taken"))
                }
                // A link that lands there lands on no page of the website.
                for case .exact(let path) in client.returnPaths.entries
                where RouteTable.answers(path, at: areOriginsApart ? .website : .all) {
                    note(
                        SettingProblem(
                            "clients[\(index)].return_paths", value: path, at: place, "is used by the service itself"))
                }
                clients.append(client)
            } catch let error as ClientDocumentError {
                for problem in error.problems {
                    note(SettingProblem("clients[\(index)].\(problem.field)", at: place, problem.text))
                }
            } catch {
                note(SettingProblem("clients[\(index)]", at: place, "must be an object with a client's fields"))
            }
        }
        return clients
    }

    /// - Parameter own: this service, whose users they must not be able to name.
    mutating func trustedIssuers(beside own: OwnIssuer) -> [TrustedIssuerSettings] {
        var issuers: [TrustedIssuerSettings] = []
        for (index, node) in (raw.objects[SettingKey.trustedIssuers.name] ?? []).enumerated() {
            var fields = SettingFields(node, path: "trusted_issuers[\(index)]")
            let issuer = TrustedIssuerSettings(&fields, absolute: absolute)
            fields.problems.forEach { note($0) }
            if let issuer { issuers.append(issuer) }
        }
        for problem in TrustedIssuerSettings.problems(in: issuers, beside: own) { note(SettingProblem(problem)) }
        return issuers
    }
}

extension SettingProblem {
    init(_ problem: TrustedIssuerProblem) {
        let name = problem.issuer.map { "trusted_issuers[\($0)].\(problem.field)" } ?? "trusted_issuers"
        self.init(name, problem.text)
    }
}

extension OwnIssuer {
    /// As far as the settings say: a start also looks for accounts in the database.
    init(
        issuer: WebOrigin?, isProvider: Bool, upstreamProviders: [UpstreamProviderSettings]
    ) {
        self.init(name: issuer?.description, signsUsersIn: isProvider || !upstreamProviders.isEmpty)
    }

    init(_ settings: DrawbridgeSettings) {
        self.init(
            issuer: settings.issuer, isProvider: settings.isProvider,
            upstreamProviders: settings.upstreamProviders)
    }
}
