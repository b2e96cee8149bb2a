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

    /// - Parameter scope: `openid` always comes along, `device_sso` when there is a sharing group.
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
