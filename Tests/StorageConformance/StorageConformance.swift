package import Bridge

/// Everything that a storage for the whole server must do: one list, so that no back end can miss a suite.
///
/// The architecture tests hold it against the suites that there are.
package enum StorageConformance {
    package static let all: [ConformanceCase<any BridgeStorage>] =
        LoginTokenStoreConformance.cases + WebSessionStoreConformance.cases + SubjectStoreConformance.cases
        + ClientStoreConformance.cases + SigningKeyStoreConformance.cases + AuditLogConformance.cases
        + AdminConformance.cases + AuditForwardConformance.cases
        + AuthorizationCodeStoreConformance.cases + DeviceAuthorizationStoreConformance.cases
        + AppSessionStoreConformance.cases + LogoutNoticeStoreConformance.cases
        + WebhookStoreConformance.cases
        + RefreshTokenStoreConformance.cases
        + AccountStoreConformance.cases + UserListConformance.cases + SecondFactorStoreConformance.cases
        + AuthorizationStoreConformance.cases + ReplacedSessionConformance.cases
        + LinkedKeyStoreConformance.cases + PasskeyStoreConformance.cases + UpstreamSessionStoreConformance.cases
        + DeviceSecretStoreConformance.cases
        + SessionRefreshStoreConformance.cases + SettingStoreConformance.cases + BearerStoreConformance.cases
        + CrossDeviceStoreConformance.cases.map { conformance in
            ConformanceCase(conformance.description) { open in try await conformance.check { try await open() } }
        }
}
