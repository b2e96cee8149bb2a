import Bridge
import Foundation
import OAuth2
import Testing

/// Contract §14, the fields of clients of the OAuth provider.
@Suite struct ProviderClientDocumentTests {
    private func decode(_ json: String) throws -> Client {
        try JSONDecoder().decode(ClientDocument.self, from: Data(json.utf8)).client
    }

    /// Of a native client, unless the members say something else.
    private func document(_ members: String) -> String {
        let kind = members.contains("client_type") ? "" : #""client_type":"native","#
        return #"{"client_id":"a","# + kind + members + "}"
    }

    private static let full = #"""
        {"client_id":"shop","client_name":"Shop","client_type":"web","client_secret_digest":
         "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU","token_endpoint_auth_method":"client_secret_post",
         "redirect_uris":["https://shop.example/callback"],"post_logout_redirect_uris":["https://shop.example/bye"],
         "grant_types":["authorization_code","refresh_token"],"scope":"openid email","require_pkce":false,
         "dpop_bound_access_tokens":true,"first_party":true,"native_sso_enabled":true,"share_with":["a","b"],
         "delivery":"cookies","cookie_profile":"tokens","cookie_prefix":"shop_","cookie_domain":".shop.example",
         "access_token_lifetime":300,"access_token_signed_response_alg":"RS256","min_acr":"aal2","max_auth_age":600,
         "backchannel_logout_uri":"https://shop.example/logout","webhook_uri":"https://shop.example/hook",
         "webhook_secret_file":"shop.key","id_token_signed_response_alg":"EdDSA",
         "jwks_uri":"https://shop.example/keys","logo_uri":"https://shop.example/logo.png",
         "policy_uri":"https://shop.example/privacy","public_origin":"https://shop.example",
         "redemption_page":"/login-with-token.php"}
        """#

    @Test func `device_sso may be granted with the right alone, whatever the scope says`() throws {
        let without = try decode(document(#""scope":"openid device_sso""#))
        #expect(without.grantableScope.tokens == ["openid"])
        let with = try decode(document(#""scope":"openid","native_sso_enabled":true"#))
        #expect(with.grantableScope.tokens == ["openid", "device_sso"])
    }

    /// Nodes of the first version that may be replaced one by one know these, and read no document that has another
    /// field: what came later is written where it is set (ADR-0078).
    @Test(arguments: [("native", []), ("web", ["landing", "portal"]), ("service", [])] as [(String, [String])])
    func `a client for which nothing is set is written in fields that nodes of earlier versions know`(
        kind: String, more: [String]
    ) throws {
        let client = try decode(#"{"client_id":"a","client_type":"\#(kind)"}"#)
        let json = try JSONEncoder().encode(ClientDocument(client))
        let always = [
            "accepts_endpoint_audience", "access_token_lifetime", "allow_localhost", "block_webviews",
            "can_issue_login_tokens", "client_id", "client_name", "client_type", "cookie_prefix", "cookie_profile",
            "delivery", "dpop_bound_access_tokens", "first_party", "grant_types", "id_token_signed_response_alg",
            "may_introspect", "may_reach", "native_sso_enabled", "on_replay", "post_logout_redirect_uris", "redeem",
            "redirect_uris", "reject_reused_challenge", "require_pkce", "require_pushed_authorization_requests",
            "scope", "session_idle", "session_lifetime", "share_with", "token_endpoint_auth_method",
        ]
        let written = try #require(JSONValue.parse(bytes: Array(json))?.object)
        #expect(written.keys.sorted() == (always + more).sorted())
    }

    @Test func `every field is read, and reads back as it was written`() throws {
        let client = try decode(Self.full)
        #expect(client.authenticationMethod == .clientSecretPost && !client.requiresPKCE && client.isFirstParty)
        #expect(client.redirectURIs.map(\.description) == ["https://shop.example/callback"])
        #expect(client.postLogoutRedirectURIs.map(\.description) == ["https://shop.example/bye"])
        #expect(
            client.grantTypes == [.authorizationCode, .refreshToken] && client.scope.tokens == ["openid", "email"])
        #expect(client.requiresProofOfPossession && client.isNativeSSOEnabled && client.shareWith == ["a", "b"])
        #expect(client.delivery == .cookies && client.cookieProfile == .tokens)
        #expect(client.cookiePrefix == "shop_" && client.cookieDomain == ".shop.example")
        #expect(client.accessTokenLifetime == .seconds(300) && client.maximumAuthenticationAge == .seconds(600))
        #expect(client.minimumACR == "aal2" && client.idTokenAlgorithm == .edDSA)
        #expect(client.accessTokenAlgorithm == .rs256)
        #expect(client.webhook == Client.Webhook(uri: "https://shop.example/hook", secretFile: "shop.key"))
        #expect(client.backchannelLogoutURI == "https://shop.example/logout")
        #expect(client.keysURI == "https://shop.example/keys")
        #expect(client.logoURI == "https://shop.example/logo.png")
        #expect(client.policyURI == "https://shop.example/privacy")
        #expect(client.redemptionPage == "/login-with-token.php")
        let json = try JSONEncoder().encode(ClientDocument(client))
        #expect(try JSONDecoder().decode(ClientDocument.self, from: json).client == client)
    }

    @Test func `a document with ES256 for access tokens is readable to versions that do not know the field`() throws {
        for members in [#""scope":"""#, #""access_token_signed_response_alg":"ES256""#] {
            let client = try decode(document(members))
            #expect(client.accessTokenAlgorithm == .es256)
            let json = try JSONEncoder().encode(ClientDocument(client))
            #expect(!String(decoding: json, as: UTF8.self).contains("access_token_signed"))
        }
    }

    @Test func `an API's answer leaves the digest of the secret out`() throws {
        let json = try JSONEncoder().encode(ClientDocument(try decode(Self.full), showsSecretDigest: false))
        #expect(!String(decoding: json, as: UTF8.self).contains("digest"))
    }

    @Test func `a machine may sign with its own keys, by value`() throws {
        let key = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        let client = try decode(
            #"{"client_id":"a","client_type":"service","token_endpoint_auth_method":"private_key_jwt","#
                + #""scope":"","jwks":{"keys":["# + key + "]}}")
        #expect(client.keys.map(VerificationKey.all(inSet:))?.count == 1)
        #expect(client.scope.isEmpty)
    }

    @Test(arguments: [
        (#""client_secret_digest":"secret""#, "client_secret_digest"),
        (#""token_endpoint_auth_method":"client_secret_basic""#, "token_endpoint_auth_method"),
        (#""token_endpoint_auth_method":"tls_client_auth""#, "token_endpoint_auth_method"),
        (#""token_endpoint_auth_method":"private_key_jwt""#, "jwks"),
        (
            #""client_type":"service","token_endpoint_auth_method":"none","grant_types":["client_credentials"]"#,
            "token_endpoint_auth_method"
        ),
        (#""grant_types":["client_credentials"]"#, "grant_types"), (#""grant_types":["password"]"#, "grant_types"),
        (#""grant_types":"authorization_code""#, "grant_types"), (#""scope":"openid  email""#, "scope"),
        (#""scope":7"#, "scope"), (#""scope":"openid admin""#, "scope"), (#""require_pkce":false"#, "require_pkce"),
        (#""redirect_uris":["http://shop.example/"]"#, "redirect_uris"),
        (#""redirect_uris":["https://shop.example/#a"]"#, "redirect_uris"),
        (#""post_logout_redirect_uris":["javascript:alert(1)"]"#, "post_logout_redirect_uris"),
        (#""cookie_prefix":"a;b""#, "cookie_prefix"), (#""cookie_domain":"localhost""#, "cookie_domain"),
        (#""cookie_domain":"shop..example""#, "cookie_domain"), (#""delivery":"pigeon""#, "delivery"),
        (#""access_token_lifetime":59"#, "access_token_lifetime"), (#""max_auth_age":-1"#, "max_auth_age"),
        (#""backchannel_logout_uri":"http://shop.example/""#, "backchannel_logout_uri"),
        (#""backchannel_logout_uri":"https://shop.example/#a""#, "backchannel_logout_uri"),
        (#""webhook_uri":"https://shop.example/hook""#, "webhook_secret_file"),
        (#""webhook_secret_file":"shop.key""#, "webhook_uri"),
        (#""webhook_uri":"https://shop.example/","webhook_secret_file":"../key""#, "webhook_secret_file"),
        (#""jwks":[]"#, "jwks"), (#""jwks":{"keys":[]}"#, "jwks"),
        (#""jwks":{"keys":[{"kty":"OKP","crv":"Ed25519","x":"eA","d":"eA"}]}"#, "jwks"),
        (#""logo_uri":"logo.png""#, "logo_uri"),
        (#""redemption_page":"/in.php""#, "redemption_page"),
        (#""client_type":"web","redemption_page":"/in.php""#, "redemption_page"),
        (#""client_type":"web","public_origin":"https://a.example","redemption_page":"in.php""#, "redemption_page"),
        (#""client_type":"web","public_origin":"https://a.example","redemption_page":"/in?a=b""#, "redemption_page"),
        (#""client_type":"web","public_origin":"https://a.example","redemption_page":"//b.test""#, "redemption_page"),
        (#""id_token_signed_response_alg":"none""#, "id_token_signed_response_alg"),
        (#""access_token_signed_response_alg":"none""#, "access_token_signed_response_alg"),
        (#""access_token_signed_response_alg":"HS256""#, "access_token_signed_response_alg"),
        (#""access_token_signed_response_alg":"PS256""#, "access_token_signed_response_alg"),
    ])
    func `what would not be safe, or would do nothing, is refused by name`(members: String, field: String) throws {
        let error = #expect(throws: ClientDocumentError.self) { try decode(document(members)) }
        #expect(error?.problems.map(\.field) == [field])
    }

    @Test(arguments: ["__Host-", "__host-shop_", "__Http-", "__HTTP-shop_", "__Host-Http-"])
    func `a prefix whose cookies browsers refuse is refused, but for a stored one`(prefix: String) throws {
        let json = document(#""cookie_profile":"tokens","cookie_prefix":"\#(prefix)""#)
        let error = #expect(throws: ClientDocumentError.self) { try decode(json) }
        #expect(error?.problems.map(\.field) == ["cookie_prefix"])
        let stored = try JSONDecoder().decode(StoredClientDocument.self, from: Data(json.utf8)).client
        #expect(stored.cookiePrefix == prefix)
    }

    @Test(arguments: [
        "", "aal2 ", "a b", "aal2\n", #"a"b"#, #"a\b"#, "\u{7f}", "ääl2", String(repeating: "a", count: 129),
    ])
    func `RFC 6749 appendix A: a level that no challenge can name is refused, but for a stored one`(
        level: String
    ) throws {
        let written = String(decoding: try JSONEncoder().encode(level), as: UTF8.self)
        let json = document(#""min_acr":\#(written)"#)
        let error = #expect(throws: ClientDocumentError.self) { try decode(json) }
        #expect(error?.problems.map(\.field) == ["min_acr"])
        let stored = try JSONDecoder().decode(StoredClientDocument.self, from: Data(json.utf8)).client
        #expect(stored.minimumACR == level)
    }

    @Test(arguments: ["a", "urn:example:gold", "!#[]~", String(repeating: "a", count: 128)])
    func `any other level is taken as it is written`(level: String) throws {
        #expect(try decode(document(#""min_acr":"\#(level)""#)).minimumACR == level)
    }

    /// 32 bytes; no point of the curve has it twice.
    private static let zero = String(repeating: "A", count: 43)

    @Test(arguments: [
        "{}", #"{"kty":"foo"}"#, #"{"kty":"EC","crv":"P-256"}"#,
        #"{"kty":"EC","crv":"P-256","x":"\#(zero)","y":"\#(zero)"}"#,
        #"{"kty":"OKP","crv":"Ed25519","use":"enc","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
    ])
    func `keys of which none verifies are refused of a client that signs, but for a stored one`(key: String) throws {
        func json(_ keys: String) -> String {
            document(#""token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":["# + keys + "]}")
        }
        let error = #expect(throws: ClientDocumentError.self) { try decode(json(key)) }
        #expect(error?.problems.map(\.field) == ["jwks"])
        let stored = try JSONDecoder().decode(StoredClientDocument.self, from: Data(json(key).utf8)).client
        #expect(stored.keys != nil)
        let good = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        #expect(try decode(json(key + "," + good)).keys != nil)
    }

    @Test(arguments: [".other.example", "127.0.0.1", "a.www.shop.example"])
    func `contract §14: a cookie domain that does not cover its website is refused, but what is stored stays`(
        domain: String
    ) throws {
        let text =
            #"{"client_id":"shop","client_type":"web","public_origin":"https://www.shop.example","#
            + #""cookie_profile":"tokens","cookie_domain":"\#(domain)"}"#
        #expect(throws: ClientDocumentError.self) { try decode(text) }
        let stored = try JSONDecoder().decode(StoredClientDocument.self, from: Data(text.utf8))
        #expect(stored.client.cookieDomain == domain)
        #expect(try decode(text.replacing(domain, with: ".shop.example")).cookieDomain == ".shop.example")
        #expect(try decode(text.replacing("tokens", with: "session")).cookieDomain == domain)
    }

    @Test(arguments: ["session", "tokens"], ["..shop.example", "....shop.example"])
    func `RFC 6265 §5.2.3: a cookie domain with more than one leading dot is refused, but what is stored stays`(
        profile: String, domain: String
    ) throws {
        let text =
            #"{"client_id":"shop","client_type":"web","public_origin":"https://www.shop.example","#
            + #""cookie_profile":"\#(profile)","cookie_domain":"\#(domain)"}"#
        let error = #expect(throws: ClientDocumentError.self) { try decode(text) }
        #expect(error?.problems.map(\.field) == ["cookie_domain"])
        let stored = try JSONDecoder().decode(StoredClientDocument.self, from: Data(text.utf8)).client
        #expect(stored.cookieDomain == domain)
        #expect(!stored.setsCookies(at: "www.shop.example"))
    }

    @Test(arguments: ["__Secure-", "__Host", "__Hosting-", "_Host-", "shop__Host-"])
    func `other prefixes are taken`(prefix: String) throws {
        #expect(try decode(document(#""cookie_prefix":"\#(prefix)""#)).cookiePrefix == prefix)
    }

    @Test func `links lead to a page of the website's own or to the issuer, not to both`() throws {
        let members = #""client_type":"web","public_origin":"https://a.example","redemption_page":"/in.php","#
        let landing = #""landing":"initiate_login","initiate_login_uri":"https://a.example/login""#
        let error = #expect(throws: ClientDocumentError.self) { try decode(document(members + landing)) }
        #expect(error?.problems.map(\.field) == ["redemption_page"])
    }

    @Test func `all faults of a document are told at once`() throws {
        let error = #expect(throws: ClientDocumentError.self) {
            try decode(
                #"{"client_id":"a b","bar":2,"foo":1,"client_type":"web","scope":7,"require_pkce":"no","#
                    + #""redirect_uris":["http://shop.example/","https://shop.example/cb","https://shop.example/#a"],"#
                    + #""return_paths":["a","b","/c"],"default_return_path":"/c"}"#)
        }
        #expect(
            error?.problems.map(\.field) == [
                "bar", "foo", "client_id", "return_paths", "return_paths", "scope", "require_pkce", "redirect_uris",
                "redirect_uris",
            ])
    }

    @Test func `a rule between fields says nothing about fields that are faulty themselves`() throws {
        let error = #expect(throws: ClientDocumentError.self) {
            try decode(
                #"{"client_id":"a","client_type":"website","token_endpoint_auth_method":"private_key_jwt","jwks":7,"#
                    + #""session_lifetime":1,"session_idle":90000,"redirect_uris":["https://shop.example/cb"]}"#)
        }
        #expect(error?.problems.map(\.field) == ["client_type", "session_lifetime", "jwks"])
    }

    @Test func `a rule between fields is told beside the faults of other fields`() throws {
        let error = #expect(throws: ClientDocumentError.self) {
            try decode(
                #"{"client_id":"a","client_type":"native","token_endpoint_auth_method":"client_secret_basic","#
                    + #""grant_types":["client_credentials"],"jwks":7,"landing":"initiate_login","#
                    + #""cookie_profile":"x"}"#)
        }
        #expect(
            error?.problems.map(\.field).sorted() == [
                "cookie_profile", "grant_types", "initiate_login_uri", "jwks", "landing", "token_endpoint_auth_method",
            ])
    }

    @Test func `a secret in clear is answered with the way to keep its digest`() throws {
        let error = #expect(throws: ClientDocumentError.self) {
            try decode(#"{"client_id":"a","client_type":"native","client_secret":"s"}"#)
        }
        #expect(error?.description.contains("drawbridge clients secret") == true)
    }

    @Test(arguments: [
        (#""client_type":"web""#, false),
        (#""client_type":"web","return_paths":["/a"],"default_return_path":"/a""#, false),
        (#""client_type":"native","redirect_uris":["com.example.app:/cb"]"#, false),
        (#""client_type":"web","redirect_uris":["https://shop.example/cb"]"#, true),
        (
            #""client_type":"web","token_endpoint_auth_method":"none","redirect_uris":["https://shop.example/cb"]"#,
            false
        ),
        (#""client_type":"web","grant_types":["client_credentials"]"#, true), (#""client_type":"service""#, true),
        (
            #""client_type":"service","token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://a.example/k""#,
            false
        ),
        (
            #""client_type":"service","client_secret_digest":"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU""#, false
        ),
    ])
    func `who has business at the token endpoint needs a secret or keys`(members: String, lacks: Bool) throws {
        #expect(try decode(document(members)).lacksSecret == lacks)
    }

    @Test func `more than 100 redirect URIs are refused`() throws {
        let uris = (0...100).map { #""https://shop.example/\#($0)""# }.joined(separator: ",")
        let error = #expect(throws: ClientDocumentError.self) {
            try decode(#"{"client_id":"a","client_type":"web","redirect_uris":["# + uris + "]}")
        }
        #expect(error?.problems.map(\.field) == ["redirect_uris"])
    }
}
