import Bridge
import OAuth2
import Testing

@Suite struct StandardClaimsTests {
    private func claims(_ text: String) throws -> StandardClaims {
        try StandardClaims(#require(JSONValue.parse(text.utf8)?.object))
    }

    @Test(
        arguments: [
            #"{"given_name":"Zoë","family_name":"Müller","nickname":"Z","gender":"female","zoneinfo":"Europe/Berlin"}"#,
            #"{"birthdate":"1990-02-29","locale":"de-DE","phone_number":"+49 30 1"}"#, #"{"birthdate":"0000-12-31"}"#,
            #"{"birthdate":"1990"}"#, #"{"picture":"https://a.example/z.png","website":"http://a.example"}"#,
            #"{"email_verified":true,"phone_number_verified":false}"#, #"{"groups":["staff","Zoë, & co"]}"#,
            #"{"groups":[]}"#,
            #"{"address":{"street_address":"1 Main St","locality":"Town","postal_code":"1","country":"US"}}"#, "{}",
        ])
    func `standard claims of the right shape are kept as they are`(text: String) throws {
        let claims = try claims(text)
        let again = try claims.text.map { try self.claims($0) } ?? .none
        #expect(again == claims)
    }

    @Test func `a claim that is null is not kept`() throws {
        #expect(try claims(#"{"given_name":null}"#) == .none)
    }

    @Test(
        arguments: [
            (#"{"sub":"alice"}"#, "sub"), (#"{"email":"a@b"}"#, "email"), (#"{"name":"A"}"#, "name"),
            (#"{"role":"admin"}"#, "role"), (#"{"updated_at":1}"#, "updated_at"),
        ])
    func `what is no such claim is refused by its name, which the description does not repeat`(
        text: String, name: String
    ) {
        #expect(throws: StandardClaimsError.unknownMember(name)) { try claims(text) }
        #expect(!StandardClaimsError.unknownMember(name).description.contains(name))
    }

    @Test(
        arguments: [
            #"{"given_name":""}"#, #"{"given_name":" "}"#, #"{"given_name":1}"#, #"{"birthdate":"1990-2-1"}"#,
            #"{"birthdate":"1990-13-01"}"#, #"{"birthdate":"1990-02-30"}"#, #"{"birthdate":"٠٠٠٠"}"#,
            #"{"birthdate":"90"}"#, #"{"picture":"javascript:alert(1)"}"#, #"{"picture":""}"#,
            #"{"email_verified":"true"}"#, #"{"address":"1 Main St"}"#, #"{"address":{}}"#,
            #"{"address":{"planet":"Earth"}}"#, #"{"address":{"country":1}}"#,
        ])
    func `a claim of another shape is refused by its name`(text: String) throws {
        do {
            _ = try claims(text)
            Issue.record("\(text) was taken")
        } catch let flaw as StandardClaimsError {
            let name = try #require(text.split(separator: "\"").dropFirst().first)
            #expect(flaw.description.hasPrefix("claims.\(name) must be"))
        }
    }

    @Test func `an empty birthdate is no date`() {
        #expect(throws: StandardClaimsError.self) { try claims(#"{"birthdate":""}"#) }
    }
}
