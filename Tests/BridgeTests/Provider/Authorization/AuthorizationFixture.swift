import Bridge
import Foundation
import OAuth2

/// Clients and requests of the authorization endpoint's tests.
enum AuthorizationFixture {
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    static let privateUse = "com.example.app:/callback"
    static let loopback = "http://127.0.0.1/callback"
    static let https = "https://app.example.com/callback"
    static let ownHint = "hint-for-alice"

    static func native(
        firstParty: Bool = false, change: (inout Client) -> Void = { _ in }
    ) throws -> Client {
        var client = Client(id: "native", name: "Native app", kind: .native)
        let rules = RedirectURIRules(isNative: true)
        client.redirectURIs = try [privateUse, loopback, https].map { try RedirectURI(registering: $0, rules: rules) }
        client.isFirstParty = firstParty
        change(&client)
        return client
    }

    static func website(change: (inout Client) -> Void = { _ in }) throws -> Client {
        var client = Client(id: "site", name: "Website", kind: .web)
        client.redirectURIs = [
            try RedirectURI(
                registering: "https://site.example/cb?tenant=a", rules: RedirectURIRules(isNative: false))
        ]
        client.requiresPKCE = false
        change(&client)
        return client
    }

    /// The parameters of a good request of the native client, with some changed; `nil` takes one out.
    static func form(_ changes: KeyValuePairs<String, String?> = [:]) throws -> FormParameters {
        var pairs: [(String, String)] = [
            ("response_type", "code"), ("client_id", "native"), ("redirect_uri", privateUse), ("scope", "openid"),
            ("state", "s-1"), ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        for (name, value) in changes {
            let index = pairs.firstIndex { $0.0 == name }
            switch (index, value) {
            case (let index?, let value?): pairs[index].1 = value
            case (let index?, nil): pairs.remove(at: index)
            case (nil, let value?): pairs.append((name, value))
            case (nil, nil): break
            }
        }
        return try FormParameters(parsing: encode(pairs).utf8)
    }

    static func encode(_ pairs: [(String, String)]) -> String {
        pairs.map { "\(PercentEncoding.encode($0.0))=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
    }

    static func reader(_ clients: [Client]? = nil) throws -> AuthorizationRequestReader {
        let clients = try clients ?? [native(), website()]
        let directory = ClientDirectory(clients, defaultTarget: nil)
        return AuthorizationRequestReader(issuer: issuerName, clients: directory) { hint in
            hint == ownHint ? "alice" : nil
        }
    }

    /// A good request with some parameters changed.
    static func request(
        _ changes: KeyValuePairs<String, String?> = [:], client: Client? = nil
    ) throws -> AuthorizationRequest {
        let clients = try client.map { [$0] } ?? [native(), website()]
        return try reader(clients).read(form(changes)).get()
    }
}

extension Provider {
    /// The authorization endpoint over the same clients, codes and storage.
    /// - Parameter hints: reads an `id_token_hint`.
    func authorizations(hints: IDTokenCodec? = nil) -> Authorizations {
        Authorizations(
            rules: AuthorizationRequestRules(issuer: issuerName, clients: service.clients, idTokens: hints),
            codes: codes, storage: service.storage, keys: service.keys,
            monitor: AuthorizationMonitor(
                memory: InProcessReuseMemory(
                    lifetime: AuthorizationMonitor.reuseWindow, capacity: 100, time: service.clock.source),
                refusals: RefusalLog(audit: service.storage, limiter: UnlimitedRateLimiter()),
                fullness: Degradation(part: "test")),
            givesDeviceSecrets: { false }, time: service.clock.source)
    }
}

func clientDocument(_ json: String) throws -> Client {
    try JSONDecoder().decode(ClientDocument.self, from: Data(json.utf8)).client
}
