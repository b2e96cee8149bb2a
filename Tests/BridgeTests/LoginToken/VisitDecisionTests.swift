import Bridge
import Testing

/// Contract §4.2, row by row.
@Suite struct VisitDecisionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let visit: Visit
        var mode = Client.RedeemMode.direct
        let decision: VisitDecision
    }

    private static let site = Visit.FetchSite.self

    static let rows: [Row] = [
        Row(
            testDescription: "a typed or app-opened navigation consumes",
            visit: Visit(carrier: .query, fetchSite: Visit.FetchSite.none, isDocumentNavigation: true),
            decision: .consume),
        Row(
            testDescription: "a same-origin navigation consumes",
            visit: Visit(carrier: .query, fetchSite: .sameOrigin, isDocumentNavigation: true), decision: .consume),
        Row(
            testDescription: "a same-site navigation consumes",
            visit: Visit(carrier: .query, fetchSite: .sameSite, isDocumentNavigation: true), decision: .consume),
        Row(
            testDescription: "a cross-site navigation is asked and does not submit itself",
            visit: Visit(carrier: .query, fetchSite: .crossSite, isDocumentNavigation: true),
            decision: .confirm(submitsItself: false)),
        Row(
            testDescription: "a site word that is not known is asked and does not submit itself",
            visit: Visit(carrier: .query, fetchSite: .other, isDocumentNavigation: true),
            decision: .confirm(submitsItself: false)),
        Row(
            testDescription: "a POST with a site word that is not known is asked and does not submit itself",
            visit: Visit(carrier: .form, fetchSite: .other), decision: .confirm(submitsItself: false)),
        Row(
            testDescription: "an old browser without Sec-Fetch is asked, and its page submits itself",
            visit: Visit(carrier: .query), decision: .confirm(submitsItself: true)),
        Row(
            testDescription: "a fetch that is no document navigation is asked",
            visit: Visit(carrier: .query, fetchSite: .sameOrigin), decision: .confirm(submitsItself: true)),
        Row(
            testDescription: "a prefetch of a navigation is asked",
            visit: Visit(
                carrier: .query, isPrefetch: true, fetchSite: Visit.FetchSite.none, isDocumentNavigation: true),
            decision: .confirm(submitsItself: true)),
        Row(
            testDescription: "a prefetch beats the header carrier",
            visit: Visit(carrier: .header, isPrefetch: true), decision: .confirm(submitsItself: true)),
        Row(
            testDescription: "the header carrier consumes",
            visit: Visit(carrier: .header), decision: .consume),
        Row(
            testDescription: "the header carrier beats cross-site",
            visit: Visit(carrier: .header, fetchSite: .crossSite), decision: .consume),
        Row(
            testDescription: "a GET without a token shows the page for the fragment",
            visit: Visit(carrier: .none, fetchSite: Visit.FetchSite.none, isDocumentNavigation: true),
            decision: .confirm(submitsItself: true)),
        Row(
            testDescription: "a cross-site GET without a token does not submit itself",
            visit: Visit(carrier: .none, fetchSite: .crossSite), decision: .confirm(submitsItself: false)),
        Row(
            testDescription: "our own form consumes",
            visit: Visit(carrier: .form, fetchSite: .sameOrigin, formIsOurs: true, origin: .own), decision: .consume),
        Row(
            testDescription: "our own form with Origin null consumes, for the form token decides",
            visit: Visit(carrier: .form, formIsOurs: true, origin: .foreign), decision: .consume),
        Row(
            testDescription: "our own form sent by the script consumes",
            visit: Visit(carrier: .form, formIsOurs: true, submittedByScript: true, origin: .own), decision: .consume),
        Row(
            testDescription: "a web view's own POST consumes",
            visit: Visit(carrier: .form), decision: .consume),
        Row(
            testDescription: "a web view's own POST with our Origin consumes",
            visit: Visit(carrier: .form, fetchSite: .sameOrigin, origin: .own), decision: .consume),
        Row(
            testDescription: "a web view's own POST with Sec-Fetch-Site none consumes",
            visit: Visit(carrier: .form, fetchSite: Visit.FetchSite.none), decision: .consume),
        Row(
            testDescription: "a POST with a foreign Origin is asked",
            visit: Visit(carrier: .form, origin: .foreign), decision: .confirm(submitsItself: false)),
        Row(
            testDescription: "a cross-site POST is asked",
            visit: Visit(carrier: .form, fetchSite: .crossSite), decision: .confirm(submitsItself: false)),
        Row(
            testDescription: "a same-site POST without the form token is asked",
            visit: Visit(carrier: .form, fetchSite: .sameSite), decision: .confirm(submitsItself: true)),
        Row(
            testDescription: "confirm asks a person's own navigation",
            visit: Visit(carrier: .query, fetchSite: Visit.FetchSite.none, isDocumentNavigation: true), mode: .confirm,
            decision: .confirm(submitsItself: false)),
        Row(
            testDescription: "confirm beats the header carrier",
            visit: Visit(carrier: .header), mode: .confirm, decision: .confirm(submitsItself: false)),
        Row(
            testDescription: "confirm beats a web view's own POST",
            visit: Visit(carrier: .form), mode: .confirm, decision: .confirm(submitsItself: false)),
        Row(
            testDescription: "confirm is not satisfied by the script",
            visit: Visit(carrier: .form, formIsOurs: true, submittedByScript: true), mode: .confirm,
            decision: .confirm(submitsItself: false)),
        Row(
            testDescription: "confirm is satisfied by a click",
            visit: Visit(carrier: .form, formIsOurs: true), mode: .confirm, decision: .consume),
    ]

    @Test(arguments: rows)
    func `a visit is decided by its row`(row: Row) {
        #expect(VisitDecision.decide(row.visit, mode: row.mode) == row.decision)
    }

    @Test func `no prefetch consumes, whatever else is true`() {
        for carrier in [Visit.Carrier.query, .form, .header, .none] {
            for formIsOurs in [true, false] {
                for mode in Client.RedeemMode.allCases {
                    let visit = Visit(
                        carrier: carrier, isPrefetch: true, fetchSite: .sameOrigin, isDocumentNavigation: true,
                        formIsOurs: formIsOurs, origin: .own)
                    #expect(VisitDecision.decide(visit, mode: mode) != .consume)
                }
            }
        }
    }

    /// Contract §4.6: a hand-off always comes from another website.
    @Test func `a hand-off is used up at once only by the browser that its website expects, or by a click`() {
        func decision(_ visit: Visit, mode: Client.RedeemMode = .direct, isExpected: Bool = true) -> VisitDecision {
            .decide(handOff: visit, mode: mode, isExpected: isExpected)
        }
        let ask = VisitDecision.confirm(submitsItself: false)
        let visit = Visit(carrier: .query, fetchSite: .crossSite, isDocumentNavigation: true)
        #expect(decision(visit) == .consume)
        #expect(decision(visit, isExpected: false) == ask)
        #expect(decision(visit, mode: .confirm) == ask)
        #expect(decision(Visit(carrier: .query, fetchSite: .crossSite)) == ask, "a frame, or a script")
        #expect(decision(Visit(carrier: .header, isDocumentNavigation: true)) == ask)
        #expect(decision(Visit(carrier: .none, isDocumentNavigation: true)) == ask)
        func click(isPrefetch: Bool = false, isOurs: Bool = true, byScript: Bool = false) -> Visit {
            Visit(
                carrier: .form, isPrefetch: isPrefetch, fetchSite: .sameOrigin, isDocumentNavigation: true,
                formIsOurs: isOurs, submittedByScript: byScript)
        }
        #expect(decision(click(), mode: .confirm, isExpected: false) == .consume)
        #expect(decision(click(isPrefetch: true)) == ask)
        #expect(decision(click(byScript: true)) == ask, "a script is no click")
        #expect(decision(click(isOurs: false)) == ask, "another's form is no click")
    }
}
