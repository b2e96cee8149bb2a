import Foundation
import OAuth2
import Testing

@testable import Bridge

/// Why something was refused or came to an end, as docs/audit-format.md lists it.
@Suite struct RefusalReasonTests {
    /// The two tables of the section: of the reasons without a family, and of the families.
    private static let tables = section("Reasons of refusals")
        .components(separatedBy: "\n| event | reasons |\n").map(rows)

    private static func section(_ title: String) -> String {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/audit-format.md")
        let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
        let section = text.components(separatedBy: "\n## \(title)\n").last ?? ""
        return section.components(separatedBy: "\n## ").first ?? ""
    }

    private struct Row {
        let first: String
        let second: String
    }

    private static func rows(_ table: String) -> [Row] {
        table.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return Row(first: cells[0], second: cells[1])
        }
    }

    private static func words(_ cell: String) -> [String] {
        cell.matches(of: #/`([a-z_]+)`/#).map { String($0.output.1) }
    }

    @Test func `the document says of every reason once what it means`() throws {
        let listed = try #require(Self.tables.first).flatMap { Self.words($0.first) }
        #expect(listed.sorted() == RefusalReason.allCases.map(\.rawValue).sorted())
    }

    private static let families: [(row: String, reasons: [String])] = [
        ("`bearer.refused`", BearerRefusal.Reason.allCases.map(\.rawValue)),
        ("`bearer.refused`, `token_request.refused`: the DPoP proof", DPoPRefusal.allCases.map(\.rawValue)),
        ("`client.authentication_failed`: the assertion", ClientAssertionRefusal.allCases.map(\.rawValue)),
        ("`device_secret.refused`", NativeSSORefusal.allCases.map(\.rawValue)),
        ("`login_token.refused`: at the redemption", RedemptionRefusal.allCases.map(\.rawValue)),
        ("`redirect.refused`", ReturnPathRefusal.allCases.map(\.rawValue)),
        ("`authorization_request.refused`", AuthorizationRefusal.Reason.allCases.map(\.rawValue)),
        (
            "`authorization_request.embedded`: with `block_webviews`",
            [AuthorizationRefusal.Reason.embeddedBrowser.rawValue]
        ),
        (
            "`authorization_request.reused`: what came again",
            AuthorizationMonitor.FreshParameter.allCases.map(\.rawValue)
        ),
        ("`admin.refused`", AdminRefusal.Reason.allCases.map(\.rawValue)),
        ("`user.sign_in_failed`: password and code", SignInRefusal.allCases.map(\.rawValue)),
        ("`user.sign_in_failed`: an upstream provider", UpstreamRefusal.allCases.map(\.rawValue)),
        (
            "`user.sign_in_failed`, `user.passkey_refused`: [passkeys](sign-in.md#passkeys)",
            PasskeyRefusal.allCases.map(\.rawValue)
        ),
        ("`user.password_changed`: nothing was set", PasswordChange.Refusal.allCases.map(\.rawValue)),
        ("`user.second_factor_changed`: nothing was changed", SecondFactorRefusal.allCases.map(\.rawValue)),
        (
            "`self_issued.refused`: [what a phone answered](self-issued.md#what-is-checked-in-order)",
            // That is `rate_limit.exceeded`.
            SelfIssuedRefusal.Reason.allCases.filter { $0 != .rateLimited }.map(\.rawValue)
        ),
        ("`cross_device.refused`: a phone's step", PhoneSignIn.Refusal.allCases.map(\.rawValue)),
        ("`refresh_token.refused`: the cookie", SessionRefreshRefusal.allCases.map(\.rawValue)),
        (
            "`refresh_token.refused`, `token_request.refused`: who may have cookies",
            CookieDeliveryRefusal.allCases.map(\.rawValue)
        ),
        (
            "`logout_token.refused`: [at the provider](sign-in.md#signing-out-at-the-provider)",
            LogoutTokenRefusal.allCases.map(\.rawValue)
        ),
        (
            "`logout_notice.failed`, `webhook.failed`: given up",
            [NoticeFailure.noReceiver, .noSecret, .unreachable].map(\.reason) + ["status_"]
        ),
    ]

    @Test func `a notice that was answered is given up with the status`() {
        #expect(NoticeFailure(lastStatus: 503).reason == "status_503")
        #expect(NoticeFailure(lastStatus: nil).reason == "unreachable")
    }

    @Test func `the document says of every word for an end what it means`() {
        let listed = Self.rows(Self.section("Reasons of ends")).flatMap { Self.words($0.first) }
        #expect(listed.sorted() == EndReason.allCases.map(\.rawValue).sorted())
        #expect(EndReason.administrator.rawValue == AdminAction.defaultReason)
    }

    @Test func `the document lists the reasons of every check that has its own`() throws {
        let listed = try #require(Self.tables.last)
        #expect(listed.map(\.first) == Self.families.map { $0.row })
        for (row, family) in zip(listed, Self.families) {
            #expect(Self.words(row.second) == family.reasons, "\(family.row)")
        }
    }
}
