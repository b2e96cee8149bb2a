/// Asks the owner of the phone. The app brings it: a sheet, a dialogue, a terminal.
///
/// The host is shown in full and first; declining is the default and as easy as agreeing.
public protocol ConsentAsker: Sendable {
    /// Waits for the person.
    func ask(_ question: ConsentQuestion) async -> ConsentDecision
}

/// What the person decides about.
public struct ConsentQuestion: Sendable {
    /// Who asks, for what, and where the answer goes.
    public let request: SelfIssuedRequest
    /// No key is here for this website: a warning when the person believes to have been there.
    public let isFirstTime: Bool
    /// The link was read from another device's screen: who shows it there is not known.
    public let isFromOtherDevice: Bool
    /// What may be told, in the order in which it is shown.
    public let offers: [ClaimOffer]
    /// What is asked and not in the profile.
    public let missing: [RequestedClaim]
}

/// What the person decided.
public enum ConsentDecision: Sendable, Equatable {
    /// The website learns that the person declined, and nothing else.
    case declined
    /// The website learns who this is, and the offers with these numbers.
    case granted(Set<Int>)
}

/// One thing that may be told, or not.
public struct ClaimOffer: Sendable, Identifiable {
    /// Who says it.
    public enum Source: Sendable {
        /// The owner.
        case own(JSONValue)
        /// A third party, whose words are handed on whole.
        case statement(Statement)
    }

    /// Its number, from 1 on.
    public let id: Int
    /// What of it was asked.
    public let names: [String]
    /// Who says it.
    public let source: Source
    /// Told unless the person takes the tick off.
    public let isTicked: Bool

    /// What can be told of what is asked. A third party's statement comes before the owner's own word.
    /// - Parameter proof: nothing is ticked beforehand where anyone may have written what is asked.
    static func offers(
        for claims: [RequestedClaim], provenBy proof: SelfIssuedRequest.Proof, from profile: Profile, at now: Int64
    ) -> (offers: [ClaimOffer], missing: [RequestedClaim]) {
        let isSure = proof == .certificate
        var rest = claims
        var offers: [ClaimOffer] = []
        for statement in profile.statements where statement.isCurrent(at: now) {
            let held = rest.filter { statement.claims[$0.name] != nil }
            guard !held.isEmpty else { continue }
            rest.removeAll { held.contains($0) }
            offers.append(
                ClaimOffer(
                    id: offers.count + 1, names: held.map(\.name), source: .statement(statement),
                    // More than was asked is never ticked beforehand.
                    isTicked: isSure && held.allSatisfy(\.isWanted) && held.count == statement.claims.count
                        && !statement.namesOwner))
        }
        for claim in rest {
            guard let value = profile.claims[claim.name] else { continue }
            offers.append(
                ClaimOffer(
                    id: offers.count + 1, names: [claim.name], source: .own(value),
                    isTicked: isSure && claim.isWanted))
        }
        let told = Set(offers.flatMap(\.names))
        return (offers, claims.filter { !told.contains($0.name) })
    }
}
