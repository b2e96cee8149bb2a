import Bridge
import Hummingbird
import OAuth2

/// A form of the console that came with a sign-in too old for what it does: its sender's browser keeps it, sealed,
/// until there is a newer one, and shows it once more before it is sent.
struct HeldForm: Sendable {
    /// Who sent it; nobody else may continue it.
    let subject: Subject
    /// The console's route that takes it.
    let path: String
    let fields: [HiddenField]

    /// Bytes of the text: sealed, and in base64url, it must fit the forms of the sign-in (``BodyReader/limit``).
    private static let limit = 8 * 1024

    /// - Returns: `nil` for a form that is too long to be kept, for one that is not the console's, and for one with a
    ///   password or token, which no page shows again.
    init?(_ parameters: FormParameters, path: String, by subject: Subject) {
        guard let path = ConsolePath.checked(path),
            !parameters.names.contains(where: Self.isSecret)
        else { return nil }
        self.subject = subject
        self.path = path
        // All but its token, which was made for the session that the new sign-in replaces. An empty field takes away what
        // was there, and has to come again.
        fields = parameters.names.filter { $0 != BrowserForm.tokenField }.compactMap { name in
            let value: String? = parameters.bytes(name) == nil ? "" : parameters[name]
            return value.map { HiddenField(name: name, value: $0) }
        }
        guard text.count <= Self.limit else { return nil }
    }

    private static func isSecret(_ name: String) -> Bool {
        // The tick boxes of a client's grants are named after them.
        if name == BrowserForm.tokenField || name.hasPrefix("grant_types.") { return false }
        return name.hasSuffix("password") || name.hasSuffix("token")
    }

    private init?(_ text: [UInt8]) {
        guard let members = JSONValue.parse(text)?.object, let subject = members["sub"]?.string,
            let path = members["path"]?.string, let fields = members["fields"]?.object
        else { return nil }
        self.subject = Subject(rawValue: subject)
        self.path = path
        self.fields = fields.sorted { $0.key < $1.key }.compactMap { name, value in
            value.string.map { HiddenField(name: name, value: $0) }
        }
    }

    private var text: [UInt8] {
        var members = JSONObjectWriter()
        for field in fields { members.add(field.name, field.value) }
        var object = JSONObjectWriter()
        object.add("sub", subject.rawValue)
        object.add("path", path)
        object.add("fields", json: members)
        return object.finish()
    }

    /// - Parameter browser: the browser's form binding; no other opens it.
    func sealed(with seal: ShortLivedSeal, for browser: OpaqueSecret) throws -> String {
        try seal.seal(text, binding: browser.digest, lifetime: Authorizations.journeyLifetime)
    }

    /// - Returns: `nil` when it is another browser's, or too old.
    static func open(_ sealed: String, with seal: ShortLivedSeal, for browser: OpaqueSecret) -> HeldForm? {
        seal.open(sealed, binding: browser.digest).flatMap { HeldForm($0) }
    }
}

extension Pages {
    /// The held form, for a session that is now fresh enough. Not sent by itself: somebody who was away meanwhile
    /// sees what is about to happen.
    /// - Parameter forms: those that may wait, with what their buttons say.
    func goOn(
        with form: HeldForm, among forms: [RouteDeclaration], formToken: String, to visitor: PageVisitor
    ) -> Response {
        let fields = form.fields + [HiddenField(name: BrowserForm.tokenField, value: formToken)]
        let language = language(for: visitor)
        let words = HeldFormWords(form, among: forms, texts: texts, language: language)
        let rows = words.rows
        return render(
            "admin_go_on",
            [
                "path": form.path, "fields": fields.map(\.values), "action": words.action, "shown": rows,
                "has_shown": !rows.isEmpty,
                "again_text": texts.text("console_sign_in", "again", in: language, ["path": form.path]),
            ], to: visitor, language: language)
    }
}
