import SelfIssuedIdP

/// What the person reads before deciding.
enum ConsentText {
    /// Who asks: the host first, because it alone is sure.
    static func lines(of question: ConsentQuestion) -> [String] {
        let request = question.request
        var lines = ["", "\(request.website.name) asks who you are."]
        if let name = request.introduction.name { lines.append("  It calls itself: \(PlainText.line(name))") }
        if let logo = request.introduction.logo { lines.append("  Its logo: \(logo)") }
        if let policy = request.introduction.policy { lines.append("  What it does with it: \(policy)") }
        let contacts = request.introduction.contacts
        if !contacts.isEmpty { lines.append("  Whom to ask: \(PlainText.line(contacts.joined(separator: ", ")))") }
        switch request.proof {
        case .certificate: lines.append("  Its certificate says that it is \(request.clientID.host).")
        case .returnAddressAlone:
            lines.append("  Anybody may have written this link. The answer goes here, and counts for no other address:")
            lines.append("  \(request.clientID)")
        }
        lines.append(
            question.isFirstTime
                ? "  You were never there with this phone: a new key is made for it."
                : "  You were there before: it will know you again.")
        if question.isFromOtherDevice {
            lines.append("  The link was on another screen. Agree only if you opened that page yourself, just now:")
            lines.append("  who sent you the code would be signed in as you.")
        }
        return lines
    }

    /// What would be told.
    static func offers(of question: ConsentQuestion, _ ticked: Set<Int>) -> [String] {
        var lines: [String] = []
        if question.offers.isEmpty {
            lines.append("It would learn: that you are the same person as last time, and nothing else.")
        } else {
            lines.append("It would learn what is ticked:")
        }
        for offer in question.offers {
            lines.append("  [\(ticked.contains(offer.id) ? "x" : " ")] \(offer.id). \(words(for: offer))")
        }
        if !question.missing.isEmpty {
            lines.append("  Also asked, and not in your profile: \(list(question.missing.map(\.name)))")
        }
        return lines
    }

    private static func words(for offer: ClaimOffer) -> String {
        switch offer.source {
        case .own(let value):
            return "\(list(offer.names)): \(shown(value))"
        case .statement(let statement):
            let said = statement.claims.sorted { $0.key < $1.key }.map {
                "\(PlainText.line($0.key)): \(shown($0.value))"
            }
            let owner = statement.namesOwner ? "; it names you, so websites could compare" : ""
            return "said by \(PlainText.line(statement.issuer)): \(said.joined(separator: ", "))\(owner)"
        }
    }

    private static func shown(_ value: JSONValue) -> String {
        if case .string(let text) = value { PlainText.line(text) } else { PlainText.line(value.text) }
    }

    private static func list(_ names: [String]) -> String {
        names.map { PlainText.line($0, limit: 40) }.joined(separator: ", ")
    }
}
