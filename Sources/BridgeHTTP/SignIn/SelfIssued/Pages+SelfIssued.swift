import Bridge
import HTTPTypes
import Hummingbird
import OAuth2

/// A code for a phone next to this device, and what the form sends that waits for its answer.
struct SelfIssuedCode: Sendable {
    let drawing: (path: String, side: Int)
    /// None in a browser that did not begin the sign-in: it waits for nothing.
    let fields: [HiddenField]

    fileprivate var values: [String: any Sendable] {
        [
            "path": drawing.path, "side": String(drawing.side), "waits": !fields.isEmpty,
            "fields": fields.map(\.values),
        ]
    }
}

/// The content of the page that asks a phone.
struct SelfIssuedStartPage: Sendable {
    /// Opens the app where it is installed.
    let openLink: String
    /// `nil` where any app could take it and keep what it brings.
    let schemeLink: String?
    /// `nil` where no answers of other devices are taken.
    let code: SelfIssuedCode?
    let isLinking: Bool
    /// Another way.
    let signInURL: String
}

/// Where the page that waits for another device leads besides on.
struct SelfIssuedWaysOut: Sendable {
    /// To a new code.
    let startURL: String
    /// Another way; to the user's keys, where one is linked.
    let otherURL: String
    let isLinking: Bool
}

/// What the page says that waits for another device.
enum SelfIssuedNotice: PageNotice {
    case wrongCode
    case limited(Duration)

    /// The text's key in the section `self_issued`.
    var key: String {
        switch self {
        case .wrongCode: "wrong_code"
        case .limited: "limited"
        }
    }

    var wait: Duration? { if case .limited(let wait) = self { wait } else { nil } }

    var code: ErrorCode? {
        switch self {
        case .wrongCode: .invalidRequest
        case .limited: .rateLimited
        }
    }
}

/// What the page of a user's keys says above them.
enum LinkedKeysNotice: String, PageNotice {
    case linked, unlinked, stale, refused, elsewhere
    case lastWayIn = "last_way_in"
    /// The key that came from a sign-in is not linked without another answer.
    case beginAgain = "begin_again"

    var key: String { rawValue }

    var code: ErrorCode? {
        switch self {
        case .linked, .unlinked, .beginAgain: nil
        case .stale, .refused: .invalidRequest
        case .elsewhere, .lastWayIn: .conflict
        }
    }

    var isDone: Bool { self == .linked || self == .unlinked }
}

/// The content of the page of a user's keys.
struct LinkedKeysPage: Sendable {
    let keys: [LinkedKey]
    let notice: LinkedKeysNotice?
    /// Whether the session is the user's own sign-in: what phones told, and when they were used, is for nobody else.
    let isDetailed: Bool
    /// Whether the user may link any.
    let isOpen: Bool
    /// Whether phones can follow from here.
    let isOffered: Bool
    /// Whether the user signed in a moment ago.
    let mayChange: Bool
    /// The key that the browser brought from a sign-in, to be linked.
    let offered: SelfIssuedProof?
    let formToken: String
}

extension Pages {
    func selfIssuedStart(_ page: SelfIssuedStartPage, to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        let section = page.isLinking ? "linking" : "sign_in"
        var values: [String: any Sendable] = [
            "open_link": page.openLink, "other_url": page.signInURL, "is_linking": page.isLinking,
            "title": texts.text("self_issued", "\(section)_title", in: language, ["site": siteName]),
            "explanation": texts.text("self_issued", "\(section)_explanation", in: language),
        ]
        values["elsewhere"] = page.isLinking ? linkingElsewhere(language) : nil
        values["scheme"] = page.schemeLink.map { ["link": $0] }
        values["qr"] = page.code?.values
        return render("self_issued_start", values, to: visitor, language: language)
    }

    /// What to do where the app is on another device, from which no answer is taken for linking.
    private func linkingElsewhere(_ language: String) -> String {
        texts.text(
            "self_issued", "linking_elsewhere", in: language,
            [
                "account": texts.text("account", "title", in: language),
                "keys": texts.text("linked_keys", "title", in: language),
            ])
    }

    /// The page that takes an answer out of its address.
    func selfIssuedReturn(to visitor: PageVisitor) -> Response {
        render("self_issued_return", to: visitor, policy: .ofScriptAlone)
    }

    /// - Parameters:
    ///   - schemeLink: `nil` where any app could take it and keep what it brings.
    ///   - isPosted: whether another device waits for the answer.
    ///   - isLinking: whether the key that answers is to be linked.
    ///   - stores: where the app is to be had.
    ///   - code: `nil` where no answers of other devices are taken, and where such a code was scanned.
    func selfIssuedOpen(
        schemeLink: String?, isPosted: Bool, isLinking: Bool, stores: [String], code: SelfIssuedCode?,
        to visitor: PageVisitor
    ) -> Response {
        let language = language(for: visitor)
        let stores = stores.map { ["url": $0, "host": WebOrigin.host(ofURL: $0)] }
        var values: [String: any Sendable] = ["stores": stores, "is_posted": isPosted, "is_linking": isLinking]
        values["elsewhere"] = isLinking ? linkingElsewhere(language) : nil
        values["scheme"] = schemeLink.map { ["link": $0] }
        values["qr"] = code?.values
        return render("self_issued_open", values, to: visitor, language: language)
    }

    /// The choice of somebody whose key is nobody's.
    /// - Parameter errand: what another way to sign in is for as well.
    func selfIssuedChoice(
        _ proof: SelfIssuedProof, formToken: String, errand: SignInErrand, to visitor: PageVisitor
    ) -> Response {
        var values = Self.values(of: proof)
        values["form_token"] = formToken
        values["query_suffix"] = errand.querySuffix
        values["other_url"] = errand.url
        return render("self_issued_choice", values, to: visitor, policy: .leadingOut)
    }

    func selfIssuedWait(
        _ waiting: SelfIssuedSignIn.Waiting, notice: SelfIssuedNotice?, fields: [HiddenField],
        waysOut: SelfIssuedWaysOut, to visitor: PageVisitor
    ) -> Response {
        let language = language(for: visitor)
        var values: [String: any Sendable] = [
            "fields": fields.map(\.values), "start_url": waysOut.startURL, "other_url": waysOut.otherURL,
            "is_linking": waysOut.isLinking,
        ]
        values["notice"] = text(of: notice, in: "self_issued", language)
        if case .wrongCode = notice { values["is_error"] = true }
        if case .answered(let account, let needsCode) = waiting {
            values["answered"] = true
            values["account"] = account.map { name(of: $0, language) }
            values["id"] = account.flatMap(Self.idInPlaceOfName)
            values["needs_code"] = needsCode
        }
        return render(
            "self_issued_wait", values, notice: notice, to: visitor, language: language,
            policy: waysOut.isLinking ? .usual : .leadingOut)
    }

    /// One plain sentence, and the way to the ordinary sign-in.
    func selfIssuedRefused(_ reason: SelfIssuedRefusal.Reason, to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        return render(
            "error",
            [
                "title": texts.text("self_issued", "failed_title", in: language),
                "explanation": texts.text("self_issued", reason.textKey, in: language), "code": reason.rawValue,
                "is_way_on": true,
            ], to: visitor, language: language, status: .init(code: ErrorCode.invalidRequest.status))
    }

    func linkedKeys(_ page: LinkedKeysPage, to visitor: PageVisitor) -> Response {
        let language = language(for: visitor)
        let keys: [[String: any Sendable]] = page.keys.map { key in
            var values: [String: any Sendable] = [
                "thumbprint": key.thumbprint, "shown": Self.shown(key.thumbprint),
                "algorithm": key.algorithm.rawValue, "since": Self.clock(key.createdAt),
                "unlink_label": texts.text(
                    "linked_keys", "unlink_label", in: language, ["key": Self.shown(key.thumbprint)]),
            ]
            guard page.isDetailed else { return values }
            if let used = key.lastUsedAt { values["used"] = Self.clock(used) }
            let told = [key.told.name, key.told.email].compactMap(\.self)
            if !told.isEmpty { values["told"] = ["shown": told.joined(separator: ", ")] }
            return values
        }
        let mayLink = page.isOpen && page.isOffered
        var values: [String: any Sendable] = [
            "keys": keys, "is_empty": keys.isEmpty, "may_change": page.mayChange, "form_token": page.formToken,
            "is_open": page.isOpen, "may_link": mayLink && page.mayChange,
            "needs_sign_in": !page.mayChange && (mayLink || page.offered != nil || !keys.isEmpty),
            "sign_in_again": SignInController.path(backTo: LinkedKeysController.path),
            "link_url": SelfIssuedController.linkingURL,
        ]
        values["notice"] = text(of: page.notice, in: "linked_keys", language)
        values["offered"] = page.offered.map { proof in
            var offered = Self.values(of: proof)
            offered["digest"] = proof.digest
            return offered
        }
        return render("linked_keys", values, notice: page.notice, to: visitor, language: language)
    }

    /// A key that waits for its holder's choice, and what the phone told with it.
    private static func values(of proof: SelfIssuedProof) -> [String: any Sendable] {
        let told = LinkedKey.Told(proof)
        var values: [String: any Sendable] = ["key": shown(proof.thumbprint), "has_told": !told.isEmpty]
        values["name"] = told.name
        values["email"] = told.email
        return values
    }

    /// The beginning of a thumbprint, in groups that can be compared by eye.
    static func shown(_ thumbprint: String) -> String {
        let head = Array(thumbprint.prefix(12))
        return stride(from: 0, to: head.count, by: 4).map { String(head[$0..<min($0 + 4, head.count)]) }
            .joined(separator: " ")
    }
}

extension SelfIssuedRefusal.Reason {
    /// The key in the section `self_issued` of what people are told. Where that is not `failed`, the page that an
    /// answer comes back to has an element of the reason's name, which says the same.
    var textKey: String {
        switch self {
        case .stateUnknown, .expired: "over"
        case .subjectRevoked, .subjectUnknown, .userDisabled: "not_known"
        case .browserMismatch: "browser_mismatch"
        default: "failed"
        }
    }
}

extension WebOrigin {
    /// What a page shows of an address.
    fileprivate static func host(ofURL text: String) -> String {
        let rest = text.drop { $0 != "/" }.drop { $0 == "/" }
        return String(rest.prefix { $0 != "/" })
    }
}
