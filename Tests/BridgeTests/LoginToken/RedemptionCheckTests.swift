import Testing

@testable import Bridge

/// The one list of what a login token is asked, as each way to redeem it sees it.
@Suite struct RedemptionCheckTests {
    private static let channels: [RedemptionChannel] = [.browser, .server, .request, .pushed]

    private static func questions(_ channel: RedemptionChannel) -> [RedemptionCheck.Question] {
        RedemptionCheck.list.filter { $0.channels.contains(channel) }.map(\.question)
    }

    @Test(arguments: channels)
    func `no way to redeem goes without website, right, user and session`(_ channel: RedemptionChannel) {
        let asked = Self.questions(channel)
        let always: Set<RedemptionCheck.Question> = [
            .isForTheWebsite, .appMayOpenTheWebsite, .userAndSessionStand, .appsAboveMayOpenTheWebsite,
        ]
        #expect(Set(asked).isSuperset(of: always))
        #expect(asked.contains(.bindingIsShown) != asked.contains(.isUnbound), "a binding is shown, or there is none")
        #expect(Set(asked).count == asked.count, "nothing is asked twice")
    }

    /// A pushed request looks at good tokens alone.
    @Test(arguments: [RedemptionChannel.browser, .server, .request])
    func `what an attempt has opened is looked for before the user and session that it came from`(
        _ channel: RedemptionChannel
    ) throws {
        let asked = Self.questions(channel)
        let attempt = try #require(asked.firstIndex { $0 == .browserHasNoAttempt || $0 == .serverHasNoAttempt })
        let standing = try #require(asked.firstIndex(of: .userAndSessionStand))
        #expect(attempt < standing)
        #expect(asked.contains(.inTime))
    }

    @Test func `another website learns nothing but that the token is not its own`() throws {
        #expect(Self.questions(.request).first == .isForTheWebsite)
        #expect(Self.questions(.pushed).first == .isForTheWebsite)
        #expect(Array(Self.questions(.server).prefix(2)) == [.inTime, .isForTheWebsite])
    }

    @Test func `only a wrong binding or code is a miss, and only what nobody failed leaves the token alone`() {
        func asked(_ cost: RedemptionCheck.Cost) -> Set<RedemptionCheck.Question> {
            Set(RedemptionCheck.list.filter { $0.cost == cost }.map(\.question))
        }
        #expect(asked(.misses) == [.bindingIsShown, .codeIsRight])
        #expect(asked(.leaves) == [.isUnbound, .needsNoClick, .codeIsGiven, .signInIsEnough, .requestWouldBeAnswered])
    }
}
