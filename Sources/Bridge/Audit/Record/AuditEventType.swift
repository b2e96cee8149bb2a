/// What happened, as `noun.verb` (contract §13). Names are added, never changed.
package struct AuditEventType: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let loginTokenIssued = Self(rawValue: "login_token.issued")
    package static let loginTokenRedeemed = Self(rawValue: "login_token.redeemed")
    package static let loginTokenReplayed = Self(rawValue: "login_token.replayed")
    package static let loginTokenRepeated = Self(rawValue: "login_token.repeated")
    package static let loginTokenRefused = Self(rawValue: "login_token.refused")
    package static let loginTokenRevoked = Self(rawValue: "login_token.revoked")
    package static let redirectRefused = Self(rawValue: "redirect.refused")
    package static let webSessionOpened = Self(rawValue: "web_session.opened")
    package static let webSessionEnded = Self(rawValue: "web_session.ended")
    package static let webSessionSwitched = Self(rawValue: "web_session.switched")
    /// What was asked for with it was refused.
    package static let webSessionRefused = Self(rawValue: "web_session.refused")
    package static let authorizationRequestEmbedded = Self(rawValue: "authorization_request.embedded")
    package static let authorizationRequestRefused = Self(rawValue: "authorization_request.refused")
    package static let authorizationRequestReused = Self(rawValue: "authorization_request.reused")
    package static let authorizationCodeIssued = Self(rawValue: "authorization_code.issued")
    package static let authorizationCodeRedeemed = Self(rawValue: "authorization_code.redeemed")
    package static let authorizationCodeReused = Self(rawValue: "authorization_code.reused")
    package static let authorizationCodeRefused = Self(rawValue: "authorization_code.refused")
    package static let deviceCodeIssued = Self(rawValue: "device_code.issued")
    package static let deviceCodeApproved = Self(rawValue: "device_code.approved")
    package static let deviceCodeDenied = Self(rawValue: "device_code.denied")
    package static let deviceCodeRedeemed = Self(rawValue: "device_code.redeemed")
    package static let deviceCodeReused = Self(rawValue: "device_code.reused")
    package static let deviceCodeRefused = Self(rawValue: "device_code.refused")
    package static let refreshTokenRotated = Self(rawValue: "refresh_token.rotated")
    package static let refreshTokenUsed = Self(rawValue: "refresh_token.used")
    package static let refreshTokenReused = Self(rawValue: "refresh_token.reused")
    package static let refreshTokenRefused = Self(rawValue: "refresh_token.refused")
    package static let accessTokenIssued = Self(rawValue: "access_token.issued")
    package static let accessTokenRevoked = Self(rawValue: "access_token.revoked")
    package static let tokenRequestRefused = Self(rawValue: "token_request.refused")
    package static let appSessionOpened = Self(rawValue: "app_session.opened")
    package static let appSessionEnded = Self(rawValue: "app_session.ended")
    package static let clientAuthenticationFailed = Self(rawValue: "client.authentication_failed")
    package static let clientAudienceTolerated = Self(rawValue: "client.audience_tolerated")
    package static let logoutTokenRefused = Self(rawValue: "logout_token.refused")
    package static let logoutNoticeSent = Self(rawValue: "logout_notice.sent")
    package static let logoutNoticeFailed = Self(rawValue: "logout_notice.failed")
    package static let webhookSent = Self(rawValue: "webhook.sent")
    package static let webhookFailed = Self(rawValue: "webhook.failed")
    package static let deviceSecretIssued = Self(rawValue: "device_secret.issued")
    package static let deviceSecretExchanged = Self(rawValue: "device_secret.exchanged")
    package static let deviceSecretRotated = Self(rawValue: "device_secret.rotated")
    package static let deviceSecretRevoked = Self(rawValue: "device_secret.revoked")
    package static let deviceSecretRefused = Self(rawValue: "device_secret.refused")
    /// The sign-in went on, without a secret that was due.
    package static let deviceSecretWithheld = Self(rawValue: "device_secret.withheld")
    package static let bearerRefused = Self(rawValue: "bearer.refused")
    package static let consentGranted = Self(rawValue: "consent.granted")
    package static let consentDenied = Self(rawValue: "consent.denied")
    package static let consentWithdrawn = Self(rawValue: "consent.withdrawn")
    package static let userSignedIn = Self(rawValue: "user.signed_in")
    package static let userSignInFailed = Self(rawValue: "user.sign_in_failed")
    package static let selfIssuedAnswered = Self(rawValue: "self_issued.answered")
    package static let selfIssuedRefused = Self(rawValue: "self_issued.refused")
    package static let selfIssuedLinked = Self(rawValue: "self_issued.linked")
    package static let selfIssuedUnlinked = Self(rawValue: "self_issued.unlinked")
    package static let crossDeviceScanned = Self(rawValue: "cross_device.scanned")
    package static let crossDeviceApproved = Self(rawValue: "cross_device.approved")
    package static let crossDeviceDenied = Self(rawValue: "cross_device.denied")
    package static let crossDeviceReported = Self(rawValue: "cross_device.reported")
    package static let crossDeviceRefused = Self(rawValue: "cross_device.refused")
    package static let crossDeviceCodeShown = Self(rawValue: "cross_device.code_shown")
    package static let userPasswordChanged = Self(rawValue: "user.password_changed")
    package static let userRenamed = Self(rawValue: "user.renamed")
    package static let userSetUpLinkMade = Self(rawValue: "user.set_up_link_made")
    package static let userCreated = Self(rawValue: "user.created")
    package static let userSecondFactorChanged = Self(rawValue: "user.second_factor_changed")
    package static let userPasskeyAdded = Self(rawValue: "user.passkey_added")
    package static let userPasskeyRemoved = Self(rawValue: "user.passkey_removed")
    package static let userPasskeyRefused = Self(rawValue: "user.passkey_refused")
    package static let userClaimsChanged = Self(rawValue: "user.claims_changed")
    package static let userRoleChanged = Self(rawValue: "user.role_changed")
    package static let userDisabled = Self(rawValue: "user.disabled")
    package static let userEnabled = Self(rawValue: "user.enabled")
    package static let clientCreated = Self(rawValue: "client.created")
    package static let clientChanged = Self(rawValue: "client.changed")
    package static let clientDeleted = Self(rawValue: "client.deleted")
    package static let keyRotated = Self(rawValue: "key.rotated")
    package static let keyRetired = Self(rawValue: "key.retired")
    package static let rateLimitExceeded = Self(rawValue: "rate_limit.exceeded")
    package static let nodeStarted = Self(rawValue: "node.started")
    package static let nodeStopped = Self(rawValue: "node.stopped")
    package static let settingChanged = Self(rawValue: "setting.changed")
    package static let adminSignedIn = Self(rawValue: "admin.signed_in")
    package static let adminSignedOut = Self(rawValue: "admin.signed_out")
    package static let adminRefused = Self(rawValue: "admin.refused")
    package static let auditExported = Self(rawValue: "audit.exported")
    package static let auditPurged = Self(rawValue: "audit.purged")
    package static let auditContradicted = Self(rawValue: "audit.contradicted")
    package static let auditAccepted = Self(rawValue: "audit.accepted")
    package static let databaseRestored = Self(rawValue: "database.restored")
    package static let auditSuppressed = Self(rawValue: "audit.suppressed")
    package static let alertAcknowledged = Self(rawValue: "alert.acknowledged")

    /// A token came a second time: the holder of the other copy may be a thief.
    package static let tokenReuses: Set<Self> = [
        .loginTokenReplayed, .authorizationCodeReused, .deviceCodeReused, .refreshTokenReused,
    ]

    /// Every type that this version writes, to choose from.
    package static let all: [Self] = [
        .loginTokenIssued, .loginTokenRedeemed, .loginTokenReplayed, .loginTokenRepeated, .loginTokenRefused,
        .loginTokenRevoked, .redirectRefused, .webSessionOpened, .webSessionEnded, .webSessionSwitched,
        .webSessionRefused,
        .authorizationRequestEmbedded, .authorizationRequestRefused, .authorizationRequestReused,
        .authorizationCodeIssued, .authorizationCodeRedeemed, .authorizationCodeReused, .authorizationCodeRefused,
        .deviceCodeIssued, .deviceCodeApproved, .deviceCodeDenied, .deviceCodeRedeemed, .deviceCodeReused,
        .deviceCodeRefused, .refreshTokenRotated, .refreshTokenUsed, .refreshTokenReused, .refreshTokenRefused,
        .accessTokenIssued, .accessTokenRevoked, .tokenRequestRefused, .appSessionOpened, .appSessionEnded,
        .clientAuthenticationFailed, .clientAudienceTolerated, .logoutTokenRefused, .logoutNoticeSent,
        .logoutNoticeFailed, .webhookSent, .webhookFailed,
        .deviceSecretIssued, .deviceSecretExchanged, .deviceSecretRotated, .deviceSecretRevoked,
        .deviceSecretRefused, .deviceSecretWithheld, .bearerRefused, .consentGranted, .consentDenied,
        .consentWithdrawn, .userSignedIn, .userSignInFailed,
        .selfIssuedAnswered, .selfIssuedRefused, .selfIssuedLinked, .selfIssuedUnlinked, .crossDeviceScanned,
        .crossDeviceApproved, .crossDeviceDenied, .crossDeviceReported, .crossDeviceRefused, .crossDeviceCodeShown,
        .userPasswordChanged, .userRenamed, .userSetUpLinkMade, .userCreated, .userSecondFactorChanged,
        .userPasskeyAdded, .userPasskeyRemoved, .userPasskeyRefused,
        .userClaimsChanged, .userRoleChanged, .userDisabled, .userEnabled, .clientCreated, .clientChanged,
        .clientDeleted, .keyRotated, .keyRetired, .rateLimitExceeded, .nodeStarted, .nodeStopped, .settingChanged,
        .adminSignedIn, .adminSignedOut, .adminRefused, .auditExported, .auditPurged, .auditContradicted,
        .auditAccepted, .databaseRestored, .auditSuppressed, .alertAcknowledged,
    ]
}
