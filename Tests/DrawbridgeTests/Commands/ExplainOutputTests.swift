import Testing

@testable import drawbridge

/// What `drawbridge explain` decides by its own words and settings.
@Suite struct ExplainOutputTests: CommandLineFixture {
    let folder: TemporaryFolder
    let config: String

    init() throws {
        folder = try TemporaryFolder()
        config = try folder.commandSettings(
            """
            default_web_client: shop
            clients:
              - {client_id: app, client_type: native, may_reach: [shop]}
              - {client_id: shop, client_type: web, return_paths: [/cart], default_return_path: /cart}
            """)
    }

    @Test func `an allow-list of every path is taken where that is meant, as in a client's document`() async {
        let words = ["explain", "redirect", "--allow", "/*", "/x"]
        let refused = await RanCommand(words)
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(
            refused.reason
                == "The allow-list is not accepted: /* alone, which allows every path, needs --allow-any-path.")
        let taken = await RanCommand(words + ["--allow-any-path"])
        #expect(taken.status == 0 && taken.output.contains(#""outcome":"/*""#))
        #expect(await run("explain", "redirect", "--client", "shop", "--allow-any-path", "/x").status == 64)
    }

    @Test func `a bearer that nobody vouches for is explained, without a word of it`() async throws {
        #expect(await run("explain", "bearer").reason == "There is no token on standard input.")
        #expect(await RanCommand(["explain", "bearer", "--data", "/tmp/x"]).status == 64)
        try #require(await run("keys", "init").status == 0)
        try #require(await run("keys", "rotate").status == 0)
        let bearer = await run("explain", "bearer", "--website", "shop", input: "no.token.here\n")
        #expect(bearer.status == 1)
        #expect(bearer.output.hasPrefix(#"{"passes":false,"reason":"malformed","rule":"token is good","steps":["#))
        #expect(!bearer.output.contains("no.token.here"))
    }
}
