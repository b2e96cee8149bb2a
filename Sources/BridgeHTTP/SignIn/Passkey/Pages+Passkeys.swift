import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// What the page of passkeys says above its list.
enum PasskeysNotice: String, PageNotice {
    case added, removed, refused, stale, taken
    case tooMany = "too_many"

    var key: String { rawValue }
    var code: ErrorCode? { self == .added || self == .removed ? nil : .invalidRequest }
}

/// The content of the page of passkeys.
struct PasskeysPage: Sendable {
    /// What the browser is asked for where a passkey may be added.
    struct Asked: Sendable {
        let draft: PasskeyDraft
        let party: PasskeyParty
        let suggestedName: String
    }

    let passkeys: [Passkey]
    /// The host that the page is shown at.
    let here: String
    let asked: Asked?
    let standing: PasskeyEnrolment.Standing
    let notice: PasskeysNotice?
    let formToken: String

    var mayChange: Bool { if case .open = standing { true } else { false } }
    var needsSignIn: Bool { if case .needsSignIn = standing { true } else { false } }
}

extension Pages {
    func passkeys(_ page: PasskeysPage, to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        let rows: [[String: any Sendable]] = page.passkeys.map { passkey in
            var row: [String: any Sendable] = [
                "mark": passkey.mark, "name": passkey.name, "since": Self.clock(passkey.createdAt),
                "remove_label": texts.text("passkeys", "remove_label", in: language, ["name": passkey.name]),
            ]
            row["used"] = passkey.lastUsedAt.map(Self.clock)
            if passkey.relyingParty != page.here { row["host"] = passkey.relyingParty }
            return row
        }
        let isFull = page.passkeys.count >= Passkey.limit
        var values: [String: any Sendable] = [
            "passkeys": rows, "is_empty": rows.isEmpty, "may_change": page.mayChange,
            "needs_sign_in": page.needsSignIn, "needs_password": !page.mayChange && !page.needsSignIn,
            "is_full": isFull, "has_no_host": page.mayChange && page.asked == nil && !isFull,
            "form_token": page.formToken,
            "sign_in_again": SignInController.path(backTo: PasskeysController.path),
        ]
        values["notice"] = text(of: page.notice, in: "passkeys", language)
        values["asked"] = page.asked.map { asked -> [String: any Sendable] in
            [
                "party": asked.party.id, "site": visitor.theme.name ?? siteName,
                "challenge": asked.draft.challenge.text, "sealed": asked.draft.challenge.sealed,
                "user": asked.draft.userHandle, "username": asked.draft.username,
                "display_name": asked.draft.displayName, "excluded": asked.draft.excluded.joined(separator: " "),
                "algorithms": VerificationKey.coseAlgorithms.map { String($0.number) }.joined(separator: " "),
                "suggested_name": asked.suggestedName,
            ]
        }
        return render("passkeys", values, notice: page.notice, to: visitor, language: language)
    }
}
