import OAuth2

/// What brought a browser to the sign-in page, carried through its forms.
struct SignInErrand: Sendable {
    /// An authorization request on its way.
    let journey: String?
    /// A path of the website to land on.
    let redirect: [UInt8]?
    /// Whether the visitor wants to sign in as somebody else than the browser's session says.
    let isForAnother: Bool

    /// The field by which ``isForAnother`` is said.
    private static let another = HiddenField(name: "account", value: "another")

    init(_ parameters: FormParameters) {
        journey = parameters["journey"]
        redirect = parameters.isRepeated("redirect") ? nil : parameters.bytes("redirect")
        isForAnother = parameters[Self.another.name] == Self.another.value
    }

    private init(journey: String?, redirect: [UInt8]?, isForAnother: Bool) {
        self.journey = journey
        self.redirect = redirect
        self.isForAnother = isForAnother
    }

    /// The same, as whoever it may be.
    var forAnother: SignInErrand { SignInErrand(journey: journey, redirect: redirect, isForAnother: true) }

    /// The complete sign-in page for a journey, whoever the browser's session is of.
    static func otherAccountURL(journey: String) -> String {
        SignInErrand(journey: journey, redirect: nil, isForAnother: true).url
    }

    /// The sign-in page's address.
    var url: String { isEmpty ? SignInController.path : "\(SignInController.path)?\(query)" }

    var isEmpty: Bool { fields.isEmpty }

    /// The same as a query.
    var query: String {
        fields.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }

    var fields: [HiddenField] {
        [
            journey.map { HiddenField(name: "journey", value: $0) },
            redirect.map { HiddenField(name: "redirect", value: String(decoding: $0, as: UTF8.self)) },
            isForAnother ? Self.another : nil,
        ].compactMap(\.self)
    }
}
