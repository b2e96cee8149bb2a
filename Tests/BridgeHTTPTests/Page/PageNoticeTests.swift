import Testing

@testable import BridgeHTTP

@Suite struct PageNoticeTests {
    enum Look: Sendable { case done, hint, problem }

    static let looks: [(any PageNotice, Look)] = [
        (PasswordNotice.changed, .done), (PasswordNotice.wrong, .problem), (SecondFactorNotice.removed, .done),
        (SecondFactorNotice.shownBefore, .problem), (DevicesNotice.endedOthers, .done), (DevicesNotice.stale, .problem),
        (ConsentsNotice.withdrawn, .done), (ConsentsNotice.stale, .problem),
        (PasskeysNotice.added, .done), (PasskeysNotice.taken, .problem), (SignInNotice.passwordSet, .done),
        (SignInNotice.notEnough, .hint), (SignInNotice.lacksSecondFactor, .hint), (SignInNotice.refused, .problem),
        (LinkedKeysNotice.linked, .done), (LinkedKeysNotice.unlinked, .done), (LinkedKeysNotice.beginAgain, .hint),
        (LinkedKeysNotice.lastWayIn, .problem),
    ]

    @Test(arguments: looks)
    func `what was done, what is wrong and what is a hint do not look the same`(notice: any PageNotice, look: Look) {
        let found: Look = notice.code != nil ? .problem : notice.isDone ? .done : .hint
        #expect(found == look)
    }
}
