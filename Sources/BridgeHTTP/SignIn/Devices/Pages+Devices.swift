import Bridge
import OAuth2
import Hummingbird

extension Pages {
    /// - Parameter isAfterForm: whether a form was sent that ended nothing.
    func devicesSignedOut(isAfterForm: Bool, to visitor: PageVisitor) -> Response {
        render("devices", ["sign_in_url": signInForDevices ?? signInURL, "is_lost": isAfterForm], to: visitor)
    }

    /// Our sign-in page, from which the browser comes back; `nil` where users sign in elsewhere.
    var signInForDevices: String? {
        signInURL == SignInController.path ? SignInController.path(backTo: DevicesController.path) : nil
    }

    /// The user's devices and sessions, each with a button that ends it.
    /// - Parameters:
    ///   - isOwn: whether the person signed in here; any other session is shown itself alone.
    ///   - signIn: where the person may do so, to be shown the rest.
    ///   - notice: what came of the visitor's last answer.
    func devices(
        _ listing: SignedInPlaces.Listing, isOwn: Bool, signIn: String?, clientName: (ClientID) -> String,
        formToken: String, notice: DevicesNotice?, to visitor: PageVisitor
    ) -> Response {
        let language = language(for: visitor)
        let places = listing.places
        func opener(of place: SignedInPlaces.Place) -> String? {
            places.first { $0.id == place.openedBy }.map { $0.name ?? clientName($0.clientID) }
        }
        let groups: [[String: any Sendable]] = SignedInPlaces.Place.Kind.allCases.compactMap { kind in
            let lines: [[String: any Sendable]] = places.filter { $0.kind == kind }.map { place in
                line(place, clientName: clientName(place.clientID), opener: opener(of: place), language)
            }
            guard !lines.isEmpty else { return nil }
            var group: [String: any Sendable] = [
                "kind": kind.rawValue, "heading": texts.text("devices", kind.rawValue, in: language),
                "hint": texts.text("devices", "\(kind.rawValue)_hint", in: language), "places": lines,
            ]
            if listing.cutKinds.contains(kind) { group["cut"] = cut(language) }
            return group
        }
        var values: [String: any Sendable] = [
            "signed_in": true, "is_own": isOwn, "groups": groups, "form_token": formToken,
            "has_others": places.contains { !$0.isCurrent },
        ]
        values["notice"] = text(of: notice, in: "devices", language)
        values["sign_in_again"] = signIn
        return render("devices", values, notice: notice, to: visitor, language: language)
    }

    /// That a list has the newest alone, and what ends the others.
    private func cut(_ language: String) -> String {
        let button = texts.text("devices", "end_others", in: language)
        return texts.text(
            "devices", "cut", in: language, ["count": String(SignedInPlaces.limit), "button": button])
    }

    private func line(
        _ place: SignedInPlaces.Place, clientName: String, opener: String?, _ language: String
    ) -> [String: any Sendable] {
        var values: [String: any Sendable] = [
            "kind": place.kind.rawValue, "id": place.id, "name": place.name ?? clientName,
            "since": Self.clock(place.since), "is_current": place.isCurrent,
            "by_code": place.wasLetInByCode,
            "end_label": texts.text("devices", "end_label", in: language, ["name": place.name ?? clientName]),
        ]
        if place.name != nil { values["client"] = clientName }
        values["browser"] = browser(place.userAgent, language)
        values["opener"] = opener
        if let network = place.network { values["network"] = network }
        if let seen = place.lastSeenAt { values["last_seen"] = Self.clock(seen) }
        return values
    }

    /// Day and minute; the same in every language.
    static func clock(_ instant: Timestamp) -> [String: String] {
        let text = instant.rfc3339
        return ["exact": text, "shown": "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"]
    }
}
