import Bridge
import Foundation
import OAuth2

extension FuzzTarget {
    static let addresses = [
        FuzzTarget("return-path", returnPath), FuzzTarget("redirect-uri", redirectURI),
        FuzzTarget("http-target", httpTarget),
    ]

    private static let list = try? ReturnPathPolicy(
        entries: ["/", "/contacts", "/account/*", "/a/b/*", "/%C3%A9"], defaultPath: "/contacts")

    /// A browser opens what was accepted, byte for byte, and nothing else.
    private static let returnPath: @Sendable ([UInt8]) -> String? = { input in
        guard case .success(let accepted) = ReturnPath.parse(input) else { return nil }
        let emitted = Array(accepted.serialized.utf8)
        guard input == emitted || input == emitted + [UInt8(ascii: "?")] else { return "not emitted as it came" }
        guard case .success(accepted) = ReturnPath.parse(emitted) else { return "refused the second time" }
        let browser = BrowserPath(emitted)
        guard !browser.leavesHost, browser.fragment == nil else { return "a browser goes elsewhere" }
        guard same(browser.path, accepted.path) else { return "a browser opens \(browser.path)" }
        // An apostrophe is escaped on the way, which changes nothing for who reads the query.
        let query = browser.query?.replacing("%27", with: "'")
        guard query == accepted.query?.replacing("%27", with: "'") else {
            return "a browser asks \(browser.query ?? "")"
        }
        guard let list else { return "the list cannot be read" }
        if case .accepted(let listed) = list.decide(input), listed != accepted { return "listed as another path" }
        return nil
    }

    /// Foundation's parser sees the host that the rules saw, and only a loopback port makes two texts one address.
    private static let redirectURI: @Sendable ([UInt8]) -> String? = { input in
        let (first, second) = halves(input)
        for isNative in [false, true] {
            for allowsLocalhost in [false, true] {
                let rules = RedirectURIRules(isNative: isNative, allowsLocalhost: allowsLocalhost)
                guard let uri = try? RedirectURI(registering: text(first), rules: rules) else { continue }
                guard uri.matches(first) else { return "does not match itself" }
                if uri.matches(second), uri.kind != .loopback, first != second { return "matches another address" }
                guard let parts = URLComponents(string: uri.description) else { return "Foundation does not read it" }
                guard parts.user == nil, parts.password == nil, parts.fragment == nil else { return "has a user" }
                switch uri.kind {
                case .https where parts.scheme != "https" || parts.host != uri.host: return "another host than ours"
                case .loopback where !["127.0.0.1", "localhost", "::1", "[::1]"].contains(parts.host ?? ""):
                    return "loopback elsewhere"
                case .privateUse where parts.host != nil: return "a scheme of an app with a host"
                case .https where !isNative && parts.scheme == "http": return "plain http"
                default: break
                }
            }
        }
        return nil
    }

    /// The one spelling of a target is a target, and its own spelling.
    private static let httpTarget: @Sendable ([UInt8]) -> String? = { input in
        guard let target = HTTPTarget(text(input)) else { return nil }
        guard let again = HTTPTarget(target.description) else { return "refused the second time: \(target)" }
        return again == target ? nil : "spelled anew it is \(again)"
    }
}
