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
