#if canImport(Security)
    import Foundation
    import Security

    /// Keeps secrets in Apple's keychain, as generic passwords.
    ///
    /// An item with an access group is shared by all apps of the team that have this group in their entitlements. Items
    /// stay on this device: a device secret says "this device", so it must not travel in a backup or by iCloud.
    public struct KeychainSecretStore: SecretStore {
        /// The user's keychain.
        public init() {}

        /// As ``SecretStore/read(_:)`` says.
        public func read(_ item: SecretItem) async throws(ClientError) -> Redacted<String>? {
            var query = Self.query(item)
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let bytes = result as? Data, let text = String(data: bytes, encoding: .utf8)
            else { throw .secretStore("keychain status \(status)") }
            return Redacted(text)
        }

        /// As ``SecretStore/write(_:to:)`` says.
        public func write(_ secret: Redacted<String>, to item: SecretItem) async throws(ClientError) {
            let value: [CFString: Any] = [
                kSecValueData: Data(secret.expose().utf8),
                // Background work may need it after a restart, once the device was unlocked.
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(Self.query(item) as CFDictionary, value as CFDictionary)
            if status == errSecItemNotFound {
                status = SecItemAdd(Self.query(item).merging(value) { $1 } as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw .secretStore("keychain status \(status)") }
        }

        /// As ``SecretStore/remove(_:)`` says.
        public func remove(_ item: SecretItem) async throws(ClientError) {
            let status = SecItemDelete(Self.query(item) as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else {
                throw .secretStore("keychain status \(status)")
            }
        }

        private static func query(_ item: SecretItem) -> [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: item.service, kSecAttrAccount: item.account,
                // The Mac's old keychain knows no access groups.
                kSecUseDataProtectionKeychain: true,
            ]
            query[kSecAttrAccessGroup] = item.accessGroup
            return query
        }
    }
#endif
