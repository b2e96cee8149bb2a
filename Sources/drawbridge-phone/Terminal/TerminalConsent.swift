import SelfIssuedIdP

/// Asks on the terminal. Everything a website or an issuer said is made fit to print first.
struct TerminalConsent: ConsentAsker {
    /// Whether the person is asked at all.
    enum Answer: Sendable {
        case ask, yes, no
    }

    let answer: Answer
    /// Claims that the command line ticks besides.
    let alsoTicked: Set<String>

    func ask(_ question: ConsentQuestion) async -> ConsentDecision {
        for line in ConsentText.lines(of: question) { Terminal.say(line) }
        var ticked = Set(
            question.offers.filter { $0.isTicked || !alsoTicked.isDisjoint(with: $0.names) }.map(\.id))
        switch answer {
        case .no: return .declined
        case .yes:
            for line in ConsentText.offers(of: question, ticked) { Terminal.say(line) }
            return .granted(ticked)
        case .ask: break
        }
        while true {
            for line in ConsentText.offers(of: question, ticked) { Terminal.say(line) }
            let numbers = question.offers.isEmpty ? "" : "; a number ticks or unticks"
            let prompt = "Sign in at \(question.request.website.name)? y for yes\(numbers); anything else declines: "
            guard let typed = Terminal.ask(prompt)?.lowercased() else { return .declined }
            if let number = Int(typed), question.offers.contains(where: { $0.id == number }) {
                ticked.formSymmetricDifference([number])
            } else {
                return ["y", "yes"].contains(typed) ? .granted(ticked) : .declined
            }
        }
    }
}
