import Foundation

/// A browser on another device that asks to be signed in as this app's user: what the person has to know to decide.
public struct AskingBrowser: Sendable, Equatable {
    /// Where its sign-in page is. It may go on from there to any website that this app may open.
    public let origin: String
    /// What the browser says that it is; any browser can say that.
    public let browser: String?
    /// What it says that it runs on.
    public let system: String?
    /// The network that it is in, such as `203.0.113.0/24`.
    public let network: String?
    /// Whether this device is in the same one. When not, make the person wait a moment before the approval can be given.
    public let isSameNetwork: Bool
    /// Whether this person has signed in in that browser before.
    public let isKnownBrowser: Bool
    /// Seconds since its page was opened.
    public let age: Int
    /// Seconds to decide in.
    public let expiresIn: Int
}

/// What the person says. Show all three with equal weight.
public enum ApprovalDecision: Sendable, Equatable {
    /// Yes, it is me, in front of that screen.
    case approve
    /// No.
    case decline
    /// Another person asks: the provider is alarmed.
    case report
}

/// Digits to be typed on the other device. Say that no one will ever ask for them, and show them nowhere else.
public struct ApprovalDigits: Sendable, Equatable {
    /// Six of them.
    public let digits: Redacted<String>
    /// Seconds for which they are good.
    public let expiresIn: Int
}

// This app as the phone that signs a computer's browser in (contract §9).
extension Drawbridge {
    /// Approves or declines the sign-in whose code was scanned.
    /// - Parameters:
    ///   - link: what the code holds. A link of any other host is refused, and nothing is sent there.
    ///   - decide: asks the person, who must be present: unlock the device's own lock before it returns `approve`.
    /// - Returns: the digits to show; `nil` when the person said no.
    /// - Throws: ``ClientError/refused(_:)`` with `already_scanned`, `not_found` for one that is over, and
    ///   `unauthorized_client` for an app that may not.
    public func approveSignIn(
        link: String, decide: @Sendable (AskingBrowser) async -> ApprovalDecision
    ) async throws(ClientError) -> ApprovalDigits? {
        let start = "\(configuration.issuer.text)/x/"
        guard link.utf8.starts(with: start.utf8) else { throw .configuration("the link is not the provider's") }
        return try await approve(String(link.utf8.dropFirst(start.utf8.count)) ?? "", decide)
    }

    /// Approves a sign-in by the letters on its page, where nothing can be scanned.
    /// - Parameters:
    ///   - letters: the eight that the page shows, in any case, with or without what is between them.
    ///   - decide: as above.
    public func approveSignIn(
        letters: String, decide: @Sendable (AskingBrowser) async -> ApprovalDecision
    ) async throws(ClientError) -> ApprovalDigits? {
        let answer = try await post("by-code", ["user_code": letters])
        guard let found = answer.decode(Found.self) else { throw answer.unexpected("no sign-in was named") }
        return try await approve(found.id, decide)
    }

    /// Digits to type beside the user name at the provider's page `/signin/code`: for computers whose code cannot be
    /// scanned. Those before are no longer good.
    /// - Throws: ``ClientError/refused(_:)`` with `access_denied` for a user who has no user name, as one whom a phone's
    ///   key or an upstream provider signs in: offer to scan.
    public func signInDigits() async throws(ClientError) -> ApprovalDigits {
        // An approval takes a token of the last minutes.
        try await renewIfPossible()
        let answer = try await post("code", [:])
        guard let shown = answer.decode(ShownCode.self) else { throw answer.unexpected("no digits came") }
        return ApprovalDigits(digits: Redacted(shown.code), expiresIn: shown.expiresIn)
    }

    private func approve(
        _ id: String, _ decide: @Sendable (AskingBrowser) async -> ApprovalDecision
    ) async throws(ClientError) -> ApprovalDigits? {
        // It becomes a part of an address.
        guard id.utf8.count == 22, Base64URL.decode(id) != nil else {
            throw .configuration("the link names no sign-in")
        }
        let answer = try await post("\(id)/scan", [:])
        guard let scanned = answer.decode(Scanned.self) else {
            throw answer.unexpected("nothing is said of the other device")
        }
        switch await decide(scanned.browser) {
        case .approve:
            try await renewIfPossible()
            let answer = try await post("\(id)/approve", ["txn": scanned.txn])
            guard let shown = answer.decode(Approved.self) else { throw answer.unexpected("no digits came") }
            return ApprovalDigits(digits: Redacted(shown.code), expiresIn: shown.expiresIn)
        case .decline: _ = try await post("\(id)/deny", ["txn": scanned.txn])
        case .report: _ = try await post("\(id)/deny", ["txn": scanned.txn, "report": "1"])
        }
        return nil
    }

    private func post(_ path: String, _ body: [String: String]) async throws(ClientError) -> ClientAnswer {
        guard let json = try? JSONEncoder().encode(body) else { throw .configuration("the request cannot be sent") }
        let address = "\(configuration.issuer.text)/api/xd/\(path)"
        return try await withSignIn { signIn async throws(ClientError) in
            let answer = try await send(
                .json(String(decoding: json, as: UTF8.self), to: address, bearer: signIn.accessToken),
                proves: signIn.isBound)
            guard answer.status == 200 || answer.status == 204 else {
                throw failure(answer, of: "the provider")
            }
            return answer
        }
    }

    private struct Found: Decodable {
        let id: String
    }

    private struct Scanned: Decodable {
        let browser: AskingBrowser
        let txn: String

        private enum Key: String, CodingKey {
            case origin, browser, system, network, age, txn
            case isSameNetwork = "same_network"
            case isKnownBrowser = "known_browser"
            case expiresIn = "expires_in"
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            browser = AskingBrowser(
                origin: try members.decode(String.self, forKey: .origin),
                browser: try members.decodeIfPresent(String.self, forKey: .browser),
                system: try members.decodeIfPresent(String.self, forKey: .system),
                network: try members.decodeIfPresent(String.self, forKey: .network),
                isSameNetwork: try members.decode(Bool.self, forKey: .isSameNetwork),
                isKnownBrowser: try members.decode(Bool.self, forKey: .isKnownBrowser),
                age: try members.decode(Int.self, forKey: .age),
                expiresIn: try members.decode(Int.self, forKey: .expiresIn))
            txn = try members.decode(String.self, forKey: .txn)
        }
    }

    private struct Approved: Decodable {
        let code: String
        let expiresIn: Int

        private enum CodingKeys: String, CodingKey {
            case code = "confirm_code"
            case expiresIn = "expires_in"
        }
    }

    private struct ShownCode: Decodable {
        let code: String
        let expiresIn: Int

        private enum CodingKeys: String, CodingKey {
            case code
            case expiresIn = "expires_in"
        }
    }
}
