#if canImport(Security)
    import Foundation
    import Security

    /// Keeps secrets in Apple's keychain, as generic passwords.
    ///
    /// An item with an access group is shared by all apps of the team that have this group in their entitlements. Items
    /// stay on this device: a device secret says "this device", so it must not travel in a backup or by iCloud.
    public struct KeychainSecretStore: SecretStore {
        /// Whether the person shows that it is them before a secret is read.
        public enum Presence: Sendable {
            /// A device that was unlocked once is enough, also for work in the background.
            case notAsked
            /// Face ID, Touch ID or the device's passcode, whenever a secret is read or replaced; without a passcode
            /// nothing is kept.
            case biometryOrPasscode
            /// Face ID or Touch ID as it is set up now: with another face or finger, the secret is lost.
            case currentBiometry
        }

        private let presence: Presence

        /// The user's keychain.
        ///
        /// Asking goes with secrets that are read where a person waits: an app reads its sign-in once, when it starts,
        /// and what it shares when another app signs in by it. The keychain asks at each replacement too, as when
        /// tokens are renewed. A secret that was kept before is asked for from its next writing on.
        public init(asking presence: Presence = .notAsked) { self.presence = presence }

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
            var value = try protection()
            value[kSecValueData] = Data(secret.expose().utf8)
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

        /// Who gets at an item; the keychain takes one of the two attributes.
        private func protection() throws(ClientError) -> [CFString: Any] {
            let flags: SecAccessControlCreateFlags
            switch presence {
            // Background work may need it after a restart, once the device was unlocked.
            case .notAsked: return [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly]
            case .biometryOrPasscode: flags = .userPresence
            case .currentBiometry: flags = .biometryCurrentSet
            }
            guard
                let control = SecAccessControlCreateWithFlags(
                    nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, flags, nil)
            else { throw .secretStore("the keychain knows no such protection") }
            return [kSecAttrAccessControl: control]
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
