import Bridge
import OAuth2
import Hummingbird

extension Pages {
    func devicesSignedOut(to visitor: PageVisitor) -> Response {
        let isOurs = signInURL == SignInController.path
        let back = isOurs ? "\(signInURL)?redirect=\(PercentEncoding.encode(DevicesController.path))" : signInURL
        return render("devices", ["sign_in_url": back], to: visitor)
    }

    /// The user's devices and sessions, each with a button that ends it.
    /// - Parameter wasEnded: whether the visitor has just ended one.
    func devices(
        _ places: [SignedInPlaces.Place], clientName: (ClientID) -> String, formToken: String, wasEnded: Bool,
        offersSecondFactor: Bool, offersLinkedKeys: Bool, to visitor: PageVisitor
    ) -> Response {
        let language = language(for: visitor)
        func opener(of place: SignedInPlaces.Place) -> String? {
            places.first { $0.id == place.openedBy }.map { $0.name ?? clientName($0.clientID) }
        }
        let groups: [[String: any Sendable]] = SignedInPlaces.Place.Kind.allCases.compactMap { kind in
            let lines: [[String: any Sendable]] = places.filter { $0.kind == kind }.map { place in
                line(place, clientName: clientName(place.clientID), opener: opener(of: place), language)
            }
            guard !lines.isEmpty else { return nil }
            return [
                "kind": kind.rawValue, "heading": texts.text("devices", kind.rawValue, in: language),
                "hint": texts.text("devices", "\(kind.rawValue)_hint", in: language), "places": lines,
            ]
        }
        return render(
            "devices",
            [
                "signed_in": true, "groups": groups, "form_token": formToken,
                "has_others": places.contains { !$0.isCurrent }, "was_ended": wasEnded,
                "offers_second_factor": offersSecondFactor, "offers_linked_keys": offersLinkedKeys,
            ], to: visitor, language: language)
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
