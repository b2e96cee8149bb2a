import Bridge
import OAuth2
import Testing

@testable import BridgeHTTP

/// Contract §16.8: no secret is taken from a query.
@Suite struct SecretInAddressTests {
    private func refusal(of query: String, except exception: String? = nil) throws -> OAuthError? {
        let parameters = try FormParameters(parsing: query.utf8)
        do throws(OAuthError) {
            try SecretInAddress.check(parameters, except: exception)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "access_token", "actor_token", "anti_csrf_token", "assertion", "client_assertion", "client_secret", "code",
        "code_verifier", "device_code", "device_secret", "id_token", "login_token", "refresh_token", "subject_token",
        "token",
    ])
    func `a secret in the address is refused by its name, which is told, and its value is not`(name: String) throws {
        let refused = try #require(try refusal(of: "state=a&\(name)=opens-sesame"))
        #expect(refused.code == .invalidRequest)
        #expect(refused.detail == RefusalReason.secretInQuery.rawValue)
        #expect(refused.publicDescription?.hasPrefix("\(name) is a secret") == true)
        #expect(refused.publicDescription?.contains("sesame") == false)
    }

    @Test(arguments: ["", "state=a&client_id=app", "Code=a", "token_type_hint=refresh_token"])
    func `whatever else is there is not looked at`(query: String) throws {
        #expect(try refusal(of: query) == nil)
    }

    @Test func `what an endpoint takes there as well is no fault of that endpoint's alone`() throws {
        #expect(try refusal(of: "login_token=a", except: "login_token") == nil)
        #expect(try refusal(of: "login_token=a&code=b", except: "login_token") != nil)
    }
}
