import OAuth2

/// What brought a browser to the sign-in page, carried through its forms.
struct SignInErrand: Sendable {
    /// An authorization request on its way.
    let journey: String?
    /// A path of the website to land on.
    let redirect: [UInt8]?

    init(_ parameters: FormParameters) {
        journey = parameters["journey"]
        redirect = parameters.isRepeated("redirect") ? nil : parameters.bytes("redirect")
    }

    var isEmpty: Bool { journey == nil && redirect == nil }

    /// The same as a query.
    var query: String {
        fields.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
    }

    var fields: [HiddenField] {
        [
            journey.map { HiddenField(name: "journey", value: $0) },
            redirect.map { HiddenField(name: "redirect", value: String(decoding: $0, as: UTF8.self)) },
        ].compactMap(\.self)
    }
}
