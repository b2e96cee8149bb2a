import Testing

@testable import BridgeHTTP

@Suite struct PageNoticeTests {
    enum Look: Sendable { case done, hint, problem }

    static let looks: [(any PageNotice, Look)] = [
        (PasswordNotice.changed, .done), (PasswordNotice.wrong, .problem), (SecondFactorNotice.removed, .done),
        (SecondFactorNotice.shownBefore, .hint), (DevicesNotice.endedOthers, .done), (DevicesNotice.stale, .problem),
        (ConsentsNotice.withdrawn, .done), (ConsentsNotice.stale, .problem),
        (PasskeysNotice.added, .done), (PasskeysNotice.taken, .problem), (SignInNotice.passwordSet, .done),
        (SignInNotice.formLost, .hint), (SecondFactorNotice.conflict, .problem),
        (SignInNotice.notEnough, .hint), (SignInNotice.notEnoughElsewhere, .hint),
        (SignInNotice.lacksSecondFactor, .hint), (SignInNotice.refused, .problem),
        (LinkedKeysNotice.linked, .done), (LinkedKeysNotice.unlinked, .done), (LinkedKeysNotice.beginAgain, .hint),
        (LinkedKeysNotice.lastWayIn, .problem), (PhonePageNotice.notYet, .problem), (PhonePageNotice.stale, .problem),
    ]

    @Test(arguments: looks)
    func `what was done, what is wrong and what is a hint do not look the same`(notice: any PageNotice, look: Look) {
        let found: Look = notice.isProblem ? .problem : notice.isDone ? .done : .hint
        #expect(found == look)
    }

    static let ofPhones: [(any PageNotice, String)] = [
        (PhonePageNotice.noDigits, "phone"), (PhonePageNotice.wrongDigits, "phone"), (PhonePageNotice.notYet, "phone"),
        (PhonePageNotice.stale, "phone"), (SignInNotice.noDigits, "sign_in"), (SignInNotice.refused, "sign_in_code"),
        (SignInNotice.limited(.seconds(1)), "sign_in"), (SignInNotice.stale, "sign_in"),
        (SignInNotice.noCookies, "sign_in"), (SignInNotice.notEnoughElsewhere, "code"),
    ]

    @Test(arguments: ofPhones)
    func `each notice of the pages for phones has words`(notice: any PageNotice, section: String) throws {
        let texts = try PageTexts(files: PublicFiles.embedded.section("texts"))
        #expect(texts["en"][notice.section ?? section]?[notice.key] != nil)
    }
}
