import Bridge
import BridgeHTTP

/// Signing in with a key that the user's phone holds (contract §10); off until somebody switches it on.
struct SelfIssuedSettings: Sendable {
    static let enabled = Setting.boolean(
        "self_issued.enabled", default: false, "Whether users may sign in with a key that their phone holds.")
    static let clientID = Setting.text(
        "self_issued.client_id",
        "What phones know this website by: a URL at the issuer's origin that ends with a slash. Default: the issuer's "
            + "origin and a slash. Keys are made for it, so it must not change.")
    static let requestPath = Setting.text(
        "self_issued.request_path", default: SelfIssuedConfiguration.requestPath, "Where phones fetch the request file."
    )
    static let returnPath = Setting.text(
        "self_issued.return_path", default: SelfIssuedConfiguration.returnPath,
        "The page that phones' answers come back to.")
    static let forms = Setting.list(
        "self_issued.forms", default: SelfIssuedForm.allCases.map(\.rawValue).joined(separator: ","),
        "Forms of the ID token that are taken.")
    static let unknownSubject = Setting.choice(
        "self_issued.unknown_subject", among: SelfIssuedConfiguration.UnknownSubject.allCases, default: .ask,
        "What becomes of a key that is nobody's: ask whether the user is new, create an account, or reject.")
    static let crossDevice = Setting.choice(
        "self_issued.cross_device", among: SelfIssuedConfiguration.CrossDevice.allCases, default: .linkedOnly,
        "Whose answers are taken from another device than the browser's: those of linked keys, none, or any.")
    static let lifetime = Setting.duration(
        "self_issued.lifetime", .seconds(30)...(.seconds(600)), default: "5m", "How long a phone may take to answer.")
    static let claims = Setting.list(
        "self_issued.claims", default: SelfIssuedConfiguration.usualClaims.joined(separator: ","),
        "What users are asked to tell of themselves. Only email and name are ever kept.")
    static let contacts = Setting.list("self_issued.contacts", "Whom users may ask, for the request file.")
    static let logoURL = Setting.text(
        "self_issued.logo_url", "The logo that phones show: an https URL at the issuer's host. They drop any other.")
    static let policyURL = Setting.text(
        "self_issued.policy_url",
        "The page that says what becomes of users' data: an https URL at the issuer's host. Phones drop any other.")
    static let storeURLs = Setting.list("self_issued.app_urls", "Where the app is to be had: https URLs.")

    static let linkingApps = Setting.list(
        "self_issued.linking_apps",
        "Apps that may link a phone's key to the account of who is signed in to them, by client_id. What a linked key "
            + "signs in is not bounded by the app's own scope: name your own apps alone.")

    /// Whether it is on, whatever else is wrong with it.
    let isEnabled: Bool
    /// `nil` where it is off.
    let configuration: SelfIssuedConfiguration?

    /// - Parameters:
    ///   - origin: of the issuer, as far as it is known.
    ///   - site: what users know it by, and which paths it has taken.
    init(reading settings: SettingsReader, at origin: WebOrigin?, beside site: SiteSettings) {
        isEnabled = settings[Self.enabled]
        let clientID = settings[Self.clientID] ?? origin.map { "\($0)/" } ?? ""
        if !settings.isSet(Self.clientID) { settings.show(Self.clientID, as: clientID) }
        let requestPath = Self.path(Self.requestPath, SelfIssuedConfiguration.requestPath, settings)
        let returnPath = Self.path(Self.returnPath, SelfIssuedConfiguration.returnPath, settings)
        Self.keepApart(requestPath, returnPath, site.redemptionPaths, settings)
        let forms = settings.elements(
            Self.forms, expecting: SettingKind.choice(SelfIssuedForm.allCases.map(\.rawValue)).expectation
        ) { SelfIssuedForm(rawValue: $0) }
        let unknownSubject = settings[Self.unknownSubject]
        let crossDevice = settings[Self.crossDevice]
        let lifetime = settings[Self.lifetime]
        let claims = settings.elements(Self.claims, expecting: "the name of a claim") { $0.isName() ? $0 : nil }
        let contacts = settings.elements(Self.contacts, expecting: "an address without spaces") { text in
            text.isEmpty || text.contains(" ") ? nil : text
        }
        let urls = [Self.logoURL, Self.policyURL].map { Self.url($0, settings) }
        let stores = settings.elements(Self.storeURLs, expecting: "an https URL") { Self.isURL($0) ? $0 : nil }
        let linkingApps = settings.elements(Self.linkingApps, expecting: "a client_id") { ClientID(rawValue: $0) }
        guard isEnabled, let origin else {
            configuration = nil
            return
        }
        Self.check(clientID, at: origin, settings)
        if forms.isEmpty { settings.note(Self.forms, "needs at least one form") }
        var configuration = SelfIssuedConfiguration(
            clientID: clientID, origin: origin, requestPath: requestPath, returnPath: returnPath, siteName: site.name)
        configuration.contacts = contacts
        configuration.logoURL = urls[0]
        configuration.policyURL = urls[1]
        configuration.claims = claims
        configuration.forms = Set(forms)
        configuration.unknownSubject = unknownSubject
        configuration.crossDevice = crossDevice
        configuration.lifetime = lifetime
        configuration.storeURLs = stores
        configuration.linkingApps = Set(linkingApps)
        configuration.isLinkClaimed = site.appLinks.isAny
        self.configuration = configuration
    }

    /// One host for all: phones show it, and compare it with the certificate's.
    private static func check(_ clientID: String, at origin: WebOrigin, _ settings: SettingsReader) {
        let isBelow = clientID.hasPrefix(origin.description + "/") && clientID.hasSuffix("/")
        if !isBelow || !String(clientID.dropFirst(origin.description.count)).isURLText {
            settings.note(
                Self.clientID, value: clientID,
                "must begin with \(origin)/ and end with a slash, without query or fragment")
        }
    }

    /// A path that is not used by anything else of the service.
    private static func path(_ setting: Setting<String>, _ fallback: String, _ settings: SettingsReader) -> String {
        let text = settings[setting]
        guard text != fallback else { return text }
        guard case .success(let path) = ReturnPath.parse(Array(text.utf8)), path.query == nil, path.path != "/",
            text.isName(and: "/")
        else {
            settings.note(setting, value: text, "must be a path such as \(fallback)")
            return fallback
        }
        if RouteTable.reserves(text) { settings.note(setting, value: text, "is used by the service itself") }
        return text
    }

    /// Settings name three kinds of paths, and the router ends the process that gives it one twice. A slash at the end
    /// makes no other path to it.
    private static func keepApart(
        _ request: String, _ answers: String, _ redemptionPaths: [String], _ settings: SettingsReader
    ) {
        func route(of path: String) -> [Substring] { path.split(separator: "/") }
        let redeemed = Set(redemptionPaths.map(route(of:)))
        for (setting, path) in [(requestPath, request), (returnPath, answers)] where redeemed.contains(route(of: path))
        {
            let other = SiteSettings.redemptionPaths
            settings.note(
                setting, value: path,
                "is used twice: login tokens are redeemed there (\(other.key.name), \(settings.source(of: other)))")
        }
        if route(of: request) == route(of: answers) {
            settings.note(
                returnPath, value: answers,
                "is used twice: it is \(requestPath.key.name) as well (\(settings.source(of: requestPath)))")
        }
    }

    private static func url(_ setting: Setting<String?>, _ settings: SettingsReader) -> String? {
        guard let text = settings[setting] else { return nil }
        if !isURL(text) { settings.note(setting, value: text, "must be an https URL") }
        return text
    }

    private static func isURL(_ text: String) -> Bool { text.hasPrefix("https://") && text.isURLText }
}

extension String {
    /// Whether it could be a URL without query and fragment, and needs no escaping in a page.
    fileprivate var isURLText: Bool { isName(and: ":/~%+@") }
}
