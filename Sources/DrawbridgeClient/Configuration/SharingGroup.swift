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
}
