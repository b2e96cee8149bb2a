/// What an app knows about itself and its provider.
public struct ClientConfiguration: Sendable {
    /// Who signs the app's users in.
    public let issuer: IssuerAddress
    /// The app's registered `client_id`. A native app is a public client: it has no secret (RFC 8252 §8.5).
    public let clientID: String
    /// What the app asks for.
    public let scope: [String]
    /// Where the apps of one maker keep what they share; `nil` when this app shares nothing.
    public let sharing: SharingGroup?

    /// - Parameters:
    ///   - issuer: the provider.
    ///   - clientID: as the provider knows the app.
    ///   - scope: `openid` always comes along, `device_sso` when there is a sharing group.
    ///   - sharing: with which apps of the same maker a sign-in is shared.
    /// - Throws: ``ClientError/configuration(_:)``.
    public init(
        issuer: IssuerAddress, clientID: String, scope: [String] = ["openid", "profile", "offline_access"],
        sharing: SharingGroup? = nil
    ) throws(ClientError) {
        guard !clientID.isEmpty else { throw .configuration("the client_id is empty") }
        self.issuer = issuer
        self.clientID = clientID
        self.sharing = sharing
        var scope = scope.filter { $0 != "openid" && $0 != "device_sso" }
        scope.insert("openid", at: 0)
        if sharing != nil { scope.append("device_sso") }
        self.scope = scope
    }
}

extension ClientConfiguration {
    /// Where the key is that tokens are bound to. Apps that share a device secret share its key.
    var proofKeyItem: SecretItem {
        sharing.map { SecretItem(service: $0.service, account: "proof_key", accessGroup: $0.accessGroup) }
            ?? SecretItem(service: "drawbridge:\(clientID)", account: "\(issuer.text)#proof_key")
    }

    /// The lock of renewals; it names no secret. They may replace the device secret, which is that of all apps of the group
    /// (contract §5.4).
    var renewalLock: SecretItem { sharing?.renewalLock ?? StoredSignIn.item(of: self) }

    /// Where it is noted which cookies are in the web view.
    var placesItem: SecretItem { SecretItem(service: "drawbridge:\(clientID)", account: "\(issuer.text)#cookies") }
}

/// The provider's issuer identifier: an https address without query, fragment and final slash (RFC 8414 §2).
///
/// Plain http only where nothing leaves the machine: `127.0.0.1`, `[::1]`, `localhost`.
public struct IssuerAddress: Sendable, Hashable, CustomStringConvertible {
    /// As it is in `iss`, byte for byte.
    public let text: String
    let isLoopback: Bool

    /// - Throws: ``ClientError/configuration(_:)`` for what cannot be an issuer.
    public init(_ text: String) throws(ClientError) {
        guard let address = SecureAddress(text) else {
            throw .configuration("\"\(text)\" is not an issuer: https://…, or http:// on this machine alone")
        }
        guard !text.hasSuffix("/"), !text.contains("?") else {
            throw .configuration("an issuer has neither a query nor a slash at its end")
        }
        self.text = text
        isLoopback = address.isLoopbackHTTP
    }

    /// The issuer's text.
    public var description: String { text }

    /// A page of the provider itself, for people to open; `nil` for any other address.
    func page(_ address: String) -> String? {
        guard let page = SecureAddress(address), page.host == SecureAddress(text)?.host,
            isLoopback || !page.isLoopbackHTTP
        else { return nil }
        return address
    }
}

/// Where the apps of one maker on one device keep the sign-in that they share: the device secret and an ID token.
public struct SharingGroup: Sendable, Hashable {
    /// The keychain service, such as `com.example.app.native-sso`. The same for all of the maker's apps.
    public let service: String
    /// The keychain access group, such as `TEAM_ID.com.example.sso`. Apple's keychain needs it; where secrets have no
    /// such groups, it is one more attribute to find the items by.
    public let accessGroup: String?

    /// Names the group.
    public init(service: String, accessGroup: String? = nil) {
        self.service = service
        self.accessGroup = accessGroup
    }

    var deviceSecret: SecretItem {
        SecretItem(service: service, account: "device_secret", accessGroup: accessGroup)
    }

    var idToken: SecretItem { SecretItem(service: service, account: "id_token", accessGroup: accessGroup) }

    var renewalLock: SecretItem { SecretItem(service: service, account: "renewal", accessGroup: accessGroup) }
}
