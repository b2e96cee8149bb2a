import Bridge
import OAuth2
import Testing

@testable import BridgeHTTP

@Suite struct UserFormTests {
    private static func refused(_ form: UserForm, because problem: ConsoleProblem) throws -> RefusedForm {
        RefusedForm(
            form: form, fields: try FormParameters(parsing: "password=abc&reason=forgotten".utf8),
            fault: .problem(problem))
    }

    @Test func `a password that was refused is marked, and never shown again`() throws {
        let refused = try Self.refused(.password, because: .password(.tooShort))
        let values = UserForm.password.values(["reason": ""], secret: "password", after: refused)
        #expect(values["is_open"] as? Bool == true)
        #expect(values["reason"] as? String == "forgotten")
        #expect(values["is_password_wrong"] as? Bool == true)
        #expect(values["is_reason_wrong"] as? Bool == false)
        #expect(values["password"] == nil)
    }

    @Test func `names that were left alone come back as they are now, and what was typed beside what is there now`()
        throws
    {
        let record = SubjectRecord(
            subject: "pat", issuer: Account.issuer, firstSeenAt: Timestamp(seconds: 0), disabledAt: nil)
        let account = Account(
            subject: "pat", username: Username("pat"), displayName: "Pat\r\nNew", email: "new@example.com",
            createdAt: Timestamp(seconds: 0))
        let typed = "username=pat&shown.username=pat&display_name=Pat&shown.display_name=Pat&email=b&shown.email=old"
        func form(_ fault: ConsoleProblem?) throws -> [String: any Sendable]? {
            let refused = try fault.map { fault in
                RefusedForm(
                    form: .rename, fields: try FormParameters(parsing: typed.utf8), fault: .problem(fault))
            }
            return UserForm.values(of: UserOverview(record, account: account), after: refused)["rename_form"]
                as? [String: any Sendable]
        }
        for (fault, email, shown) in [
            (nil, "new@example.com", "new@example.com"), (.nameChanged("email"), "b", "new@example.com"),
            (.reasonNeeded, "b", "old"), (.userChanged, "b", "old"),
        ] as [(ConsoleProblem?, String, String)] {
            let values = try form(fault)
            #expect(values?["email"] as? String == email)
            #expect(values?["shown_email"] as? String == shown)
            #expect(values?["display_name"] as? String == "PatNew")
            #expect(values?["shown_display_name"] as? String == "PatNew")
            #expect(values?["is_email_wrong"] as? Bool == (fault == .nameChanged("email")))
        }
    }

    @Test func `a reason that is missing is marked in the form of that key or passkey alone`() throws {
        for form in [UserForm.unlink("one"), .remove(passkey: "one")] {
            let refused = try Self.refused(form, because: .reasonNeeded)
            #expect(form.values(["reason": ""], after: refused)["is_reason_wrong"] as? Bool == true)
            for other in [UserForm.unlink("two"), .remove(passkey: "two"), .rename] {
                let values = other.values(["reason": "begun"], after: refused)
                #expect(values["is_open"] as? Bool == false)
                #expect(values["reason"] as? String == "begun")
                #expect(values["is_reason_wrong"] as? Bool == false)
            }
        }
    }
}
