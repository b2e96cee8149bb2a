import Bridge
import BridgeHTTP
import Foundation
import OAuth2

/// The website that apps open, and the pages that people see.
struct SiteSettings: Sendable {
    static let signInURL = Setting.text(
        "sign_in_url",
        "The normal sign-in page, linked from every refusal: a path or an https URL. Default: / of the website that "
            + "apps reach, or /sign-in when settings name none.")
    static let name = Setting.text("site_name", default: "Drawbridge", "What the pages call the website.")
    static let defaultWebClient = Setting.text(
        "default_web_client", "The website that an app opens when its request names none: a client_id.")
    static let redemptionPaths = Setting.list(
        "redemption_paths", default: LoginTokenSettings.redemptionPath,
        "Paths that redeem a login token, beside \(LoginTokenSettings.redemptionPath). The first one is what login URLs "
            + "name.")
    static let publicDirectory = Setting.path(
        "public_directory",
        "Folder whose files replace the built-in templates and assets of the same name; of texts only those that its "
            + "files hold.")

    /// As it was set; see ``DrawbridgeSettings/signInURL``.
    let signInURL: String?
    let name: String
    let defaultWebClient: ClientID?
    /// The first one is what login URLs name. The one that every client knows is always among them (contract §4).
    let redemptionPaths: [String]
    let publicDirectory: String?
    let appLinks: AppLinkSettings

    init(reading settings: SettingsReader) {
        signInURL = settings[Self.signInURL]
        if let signInURL, !Self.isPathOrURL(signInURL) {
            settings.note(Self.signInURL, value: signInURL, "must be a path or an https URL")
        }
        name = settings[Self.name]
        defaultWebClient = settings[Self.defaultWebClient].map(ClientID.init(rawValue:))
        redemptionPaths = Self.readRedemptionPaths(settings)
        publicDirectory = settings[Self.publicDirectory]
        if let publicDirectory {
            var isDirectory: ObjCBool = false
            if !FileManager.default.fileExists(atPath: publicDirectory, isDirectory: &isDirectory)
                || !isDirectory.boolValue
            {
                settings.note(Self.publicDirectory, value: publicDirectory, "is not a folder")
            }
        }
        appLinks = AppLinkSettings(reading: settings)
    }

    private static func isPathOrURL(_ text: String) -> Bool {
        if case .success = ReturnPath.parse(Array(text.utf8)) { return true }
        return text.hasPrefix("https://") && text.utf8.allSatisfy { ASCII.isVisible($0) && $0 != 0x22 }
    }

    private static func readRedemptionPaths(_ settings: SettingsReader) -> [String] {
        // Letters, digits and little else: routers give other characters a meaning of their own.
        var count = 0
        let paths = settings.elements(redemptionPaths, expecting: "a path such as /login-with-token") {
            text -> String? in
            count += 1
            guard case .success(let path) = ReturnPath.parse(Array(text.utf8)), path.query == nil, path.path != "/",
                text.isName(and: "/")
            else { return nil }
            return text
        }
        for path in paths where RouteTable.reserves(path) {
            settings.note(redemptionPaths, value: path, "is used by the service itself")
        }
        // To the router a slash at the end makes no other path; to a proxy that leads the one here it does.
        for path in paths where path.hasSuffix("/") {
            settings.note(redemptionPaths, value: path, "must not end in a slash; write \(path.dropLast())")
        }
        if Set(paths).count != paths.count { settings.note(redemptionPaths, "names a path twice") }
        if count == 0 { settings.note(redemptionPaths, "needs at least one path") }
        let known = LoginTokenSettings.redemptionPath
        return paths.contains(known) ? paths : paths + [known]
    }
}

extension AppLinkSettings {
    static let apple = Setting.list(
        "app_links.apple", "App ids (TEAMID.bundle.id) for /.well-known/apple-app-site-association.")
    static let appleSignIn = Setting.list(
        "app_links.apple_sign_in",
        "Your own app ids whose sign-in sheet (ASWebAuthenticationSession) may end at an https address of this host; "
            + "iOS lets them use passwords and passkeys that are saved for it, too.")
    static let android = Setting.list(
        "app_links.android", "`package=SHA-256 fingerprint` pairs for /.well-known/assetlinks.json.")

    init(reading settings: SettingsReader) {
        func appIDs(_ setting: Setting<[String]>) -> [String] {
            settings.elements(setting, expecting: "an app id such as ABCDE12345.com.example.app") { text in
                text.contains(".") && text.isName() ? text : nil
            }
        }
        let android = settings.elements(
            Self.android, expecting: "package=fingerprint, the fingerprint 32 hex pairs with colons"
        ) { text -> AndroidApp? in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty, parts[0].isName() else { return nil }
            let pairs = parts[1].split(separator: ":", omittingEmptySubsequences: false)
            guard pairs.count == 32, pairs.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isHexDigit) }) else {
                return nil
            }
            return AndroidApp(package: parts[0], fingerprints: [parts[1].uppercased()])
        }
        self.init(
            appleApps: appIDs(Self.apple).map { AppleApp(appID: $0, paths: ["/*"]) }, androidApps: android,
            appleSignInApps: appIDs(Self.appleSignIn))
    }
}
