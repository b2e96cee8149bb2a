import Bridge
import OAuth2

/// A form of a user's page, by the name that tells it from the others there.
struct UserForm: Hashable, Sendable {
    static let disable = Self(name: "disable")
    static let rename = Self(name: "rename")
    static let role = Self(name: "role")
    static let link = Self(name: "link")
    static let password = Self(name: "password")
    static let factor = Self(name: "factor")

    static func unlink(_ thumbprint: String) -> Self { Self(name: "unlink-\(thumbprint)") }
    static func remove(passkey mark: String) -> Self { Self(name: "remove-\(mark)") }

    private let name: String

    /// The forms of which a page has one each, as its template takes them.
    static func values(of user: UserOverview, after refused: RefusedForm?) -> [String: any Sendable] {
        var role = UserForm.role.values(["role": user.role ?? "", "reason": ""], after: refused)
        role["is_admin"] = role["role"] as? String == "admin"
        return [
            "disable_form": disable.values(["reason": ""], after: refused),
            "rename_form": names(of: user, after: refused),
            "role_form": role,
            "link_form": link.values(["reason": ""], after: refused),
            "password_form": password.values(["reason": ""], secret: "password", after: refused),
            "factor_form": factor.values(["reason": ""], after: refused),
        ]
    }

    /// The form of a user's names. Those that were left alone are shown as they are now when it comes back.
    private static func names(of user: UserOverview, after refused: RefusedForm?) -> [String: any Sendable] {
        var values = rename.values(user.names.merging(["reason": ""]) { $1 }, after: refused)
        let back = refused.flatMap { $0.form == rename ? $0 : nil }
        for (field, now) in user.names {
            let form = back.map { ShownFields($0.fields) }
            let isTold = back.map { $0.fault.code == .preconditionFailed && $0.fault.names(field) } ?? false
            values[field] = form?.wish(for: field, now: now).typed ?? now
            values["shown_\(field)"] = form?.next(field, now: now, isTold: isTold) ?? now
        }
        return values
    }

    /// What the template shows of it. Every key is there each time: the template would look for a missing one in the
    /// page around the form.
    /// - Parameters:
    ///   - known: its fields with what they begin with.
    ///   - secret: a field that can be wrong, and is never shown again.
    ///   - refused: the form that was not done, if one was not; maybe this one.
    func values(
        _ known: [String: String], secret: String? = nil, after refused: RefusedForm?
    ) -> [String: any Sendable] {
        let refused = refused?.form == self ? refused : nil
        var values: [String: any Sendable] = ["is_open": refused != nil]
        for (field, beginning) in known {
            let shown: String = if let refused { refused.fields[field] ?? "" } else { beginning }
            values[field] = shown
            values["is_\(field)_wrong"] = refused?.fault.names(field) ?? false
        }
        if let secret { values["is_\(secret)_wrong"] = refused?.fault.names(secret) ?? false }
        return values
    }
}

/// A form of a user's page that was not done: the page shows it open, as it was filled in, and marks its wrong field.
struct RefusedForm: Sendable {
    let form: UserForm
    let fields: FormParameters
    let fault: ConsoleFault
}

extension UserOverview {
    /// By the fields of the form that changes them, without the line breaks that such fields drop: another provider's
    /// user may have some in a name.
    var names: [String: String] {
        ["username": username, "display_name": displayName, "email": email].mapValues { name in
            String(String.UnicodeScalarView((name ?? "").unicodeScalars.filter { $0 != "\n" && $0 != "\r" }))
        }
    }
}
