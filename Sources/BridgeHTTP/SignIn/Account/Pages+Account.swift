import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// The content of the page about one's own account.
struct AccountPage: Sendable {
    let session: WebSession
    /// `nil` for a user of another issuer.
    let account: Account?
    /// Whether the user signed in here, so may change how.
    let isOwn: Bool
    let recoveryCodesLeft: Int?
    let identities: [UpstreamIdentity]
    /// How many phones' keys sign the user in.
    let keys: Int
    /// How many passkeys do; `nil` where there are none to have.
    let passkeys: Int?
    let events: [AuditRecord]
    /// Whether there are, or may be, earlier ones than these.
    let hasEarlierEvents: Bool
    let offersDevices: Bool
    let offersKeys: Bool
    /// Whether a phone could be linked from here.
    let mayLinkKeys: Bool

    /// The events that mean something to their user; each has a text under its name.
    static func shows(_ type: AuditEventType) -> Bool { shown.contains(type) }

    static let shown: Set<AuditEventType> = [
        .userSignedIn, .userSignInFailed, .userPasswordChanged, .userSecondFactorChanged, .userPasskeyAdded,
        .userPasskeyRemoved, .userRenamed,
        .userSetUpLinkMade, .userDisabled, .userEnabled, .loginTokenRedeemed, .loginTokenReplayed, .appSessionOpened,
        .deviceSecretIssued, .deviceSecretRevoked, .webSessionEnded, .selfIssuedLinked, .selfIssuedUnlinked,
        .consentGranted, .consentWithdrawn, .crossDeviceApproved, .deviceCodeApproved,
    ]
}

/// What the pages of passwords say above their fields.
enum PasswordNotice: PageNotice {
    case changed, stale, differs, wrong, used
    case flawed(PasswordFlaw)
    case limited(Duration)

    /// The text's key in the section `password`.
    var key: String {
        switch self {
        case .changed: "changed"
        case .stale: "stale"
        case .differs: "differs"
        case .wrong: "wrong"
        case .used: "used"
        case .flawed(let flaw): flaw.rawValue
        case .limited: "limited"
        }
    }

    /// What its text says to wait.
    var wait: Duration? { if case .limited(let wait) = self { wait } else { nil } }

    var code: ErrorCode? {
        switch self {
        case .changed: nil
        case .stale, .differs, .wrong, .used, .flawed: .invalidRequest
        case .limited: .rateLimited
        }
    }

    /// What is wrong with each field that has something wrong, as the template calls it.
    var wrongFields: [String] {
        switch self {
        case .wrong: ["is_wrong_old"]
        case .flawed: ["is_wrong_new"]
        case .differs: ["is_wrong_new", "is_wrong_again"]
        case .changed, .stale, .used, .limited: []
        }
    }
}

/// The content of a page that asks for a new password.
struct PasswordPage: Sendable {
    /// The title's key.
    let title: String
    let action: String
    let username: String?
    let isOffered: Bool
    let asksOld: Bool
    let notice: PasswordNotice?
    var link: Secret<String>?
    /// Whether the password was changed, and phones' keys sign the user in as before.
    var hasKeys = false
    /// Whether the password was changed, or is set up, and passkeys sign the user in as before.
    var hasPasskeys = false
    let formToken: String
}

extension Pages {
    func account(_ page: AccountPage, clientName: (ClientID) -> String, to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        var values: [String: any Sendable] = [
            "name": page.account.map { name(of: $0, language) } ?? page.session.subject.rawValue,
            "has_account": page.account != nil, "is_own": page.isOwn,
            "has_password": page.account?.passwordHash != nil,
            "offers_devices": page.offersDevices,
            "offers_second_factor": page.account?.passwordHash != nil,
            "offers_passkeys": page.passkeys != nil && page.account?.passwordHash != nil,
            // Who signs in elsewhere links none, and unlinks what is there.
            "offers_keys": page.offersKeys && page.account != nil
                && (page.identities.isEmpty && page.mayLinkKeys || page.keys > 0),
            "has_keys": page.keys > 0, "has_passkeys": page.passkeys.map { $0 > 0 } ?? false,
            "has_identities": !page.identities.isEmpty,
            "identities": page.identities.map(\.issuer),
            "sign_in_again": SignInController.path(backTo: AccountPath.home),
            "signed_in_at": Self.clock(page.session.authentication.time ?? page.session.createdAt),
            "has_events": !page.events.isEmpty, "has_earlier_events": page.hasEarlierEvents,
            "events": page.events.map { event($0, clientName: clientName, language) },
        ]
        if page.hasEarlierEvents, !page.events.isEmpty {
            values["latest_events"] = texts.text(
                "account", "latest_events", in: language, ["count": String(page.events.count)])
        }
        values["id"] = page.account.flatMap(Self.idInPlaceOfName)
        values["username"] = page.account?.username?.text
        if page.isOwn { values["email"] = page.account?.email }
        values["password_changed_at"] =
            page.account?.passwordHash == nil ? nil : (page.account?.passwordChangedAt).map(Self.clock)
        if let left = page.recoveryCodesLeft {
            values["second_factor_on"] = texts.text(
                "second_factor", "codes_left", in: language, ["count": String(left)])
        }
        if let count = page.passkeys {
            values["passkeys"] = texts.text(
                "account", count == 0 ? "no_passkeys" : "passkeys", in: language, ["count": String(count)])
        }
        values["keys"] = texts.text(
            "account", page.keys == 0 ? "no_keys" : "keys", in: language, ["count": String(page.keys)])
        return render("account", values, to: visitor, language: language)
    }

    /// What a page calls somebody to themselves. The id of an account without a name tells nobody whose it is.
    func name(of account: Account, _ language: String) -> String {
        Self.idInPlaceOfName(account) == nil ? account.shownName : texts.text("account", "nameless", in: language)
    }

    /// What stands behind the words for an account without a name: one such is told from another by it.
    static func idInPlaceOfName(_ account: Account) -> String? {
        account.shownName == account.subject.rawValue ? account.subject.rawValue : nil
    }

    private func event(
        _ record: AuditRecord, clientName: (ClientID) -> String, _ language: String
    ) -> [String: any Sendable] {
        let event = record.event
        var row: [String: any Sendable] = [
            "what": what(event, language), "at": Self.clock(event.at), "failed": event.outcome == .failure,
        ]
        row["where"] = (event.targetClientID ?? event.clientID).map(clientName)
        row["browser"] = browser(event.userAgent, language)
        row["network"] = event.address.flatMap { NetworkAddress($0) }?.limitNetwork.description
        return row
    }

    /// What happened. An attempt that was refused has a text of its own, unless its type has no other outcome; where the
    /// reason, or what was changed, tells the user more than that, another for it.
    private func what(_ event: AuditEvent, _ language: String) -> String {
        let key = "event_" + event.type.rawValue.replacing(".", with: "_")
        let detail = event.detail.flatMap { JSONValue.parse($0.utf8)?.object }
        let endings: [String?] =
            event.outcome == .failure ? [event.reason, "failed"] : [detail?[AuditDetail.change]?.string]
        let known = endings.compactMap(\.self).map { "\(key)_\($0)" }.first { texts["en"]["account"]?[$0] != nil }
        return texts.text(
            "account", known ?? key, in: language,
            ["count": detail?[AuditDetail.recoveryCodesLeft]?.string ?? ""])
    }

    /// “Firefox on Windows”, as far as it is known.
    func browser(_ userAgent: String?, _ language: String) -> String? {
        switch (BrowserWords.browser(userAgent), BrowserWords.system(userAgent)) {
        case (let browser?, let system?):
            texts.text("account", "browser_on_system", in: language, ["browser": browser, "system": system])
        case (let one?, nil), (nil, let one?): one
        case (nil, nil): nil
        }
    }

    func password(_ page: PasswordPage, to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        var values: [String: any Sendable] = [
            "title": texts.text("password", page.title, in: language), "action": page.action,
            "is_offered": page.isOffered, "asks_old": page.asksOld, "form_token": page.formToken,
        ]
        values["notice"] = text(of: page.notice, in: "password", language)
        for field in page.notice?.wrongFields ?? [] { values[field] = true }
        values["username"] = page.username
        values["link"] = page.link?.expose()
        values["keys_stay"] = page.hasKeys
        values["passkeys_stay"] = page.hasPasskeys
        return render("password", values, notice: page.notice, to: visitor, language: language)
    }
}
