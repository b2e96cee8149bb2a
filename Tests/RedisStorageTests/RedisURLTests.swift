import Bridge
import Testing

@testable import RedisStorage

@Suite struct RedisURLTests {
    @Test func `a URL says everything about a connection`() throws {
        let url = try RedisURL("rediss://web:p%40ss%3A@[::1]:6380,redis.example.org/3")
        #expect(url.usesTLS)
        #expect(url.credentials?.user == "web")
        #expect(url.credentials?.password.expose() == "p@ss:")
        #expect(
            url.addresses == [
                RedisAddress(host: "::1", port: 6380), RedisAddress(host: "redis.example.org", port: 6379),
            ])
        #expect(url.database == 3)
    }

    @Test func `a host is enough`() throws {
        let url = try RedisURL("redis://localhost")
        #expect(!url.usesTLS && url.credentials == nil && url.database == 0)
        #expect(url.addresses == [RedisAddress(host: "localhost", port: 6379)])
    }

    @Test func `a password without a user is the default user's`() throws {
        let url = try RedisURL("redis://:secret@localhost/")
        #expect(url.credentials?.user == nil)
        #expect(url.credentials?.password.expose() == "secret")
    }

    @Test(arguments: [
        ("localhost:6379", RedisURL.Malformed.scheme), ("http://localhost", .scheme), ("REDIS://localhost", .scheme),
        ("redis://", .host), ("redis://:6379", .host), ("redis://a,,b", .host), ("redis://a:1:2", .host),
        ("redis://[::1", .host), ("redis://[localhost]", .host), ("redis://[::1]x", .host),
        ("redis://a@b@c", .credentials),
        ("redis://u:p@h@evil", .host), ("redis://user@host", .credentials), ("redis://user:@host", .credentials),
        ("redis://u:p:q@host", .credentials), ("redis://h:0", .port), ("redis://h:65536", .port), ("redis://h:", .port),
        ("redis://h:+1", .port), ("redis://h:6379x", .port), ("redis://h/x", .database), ("redis://h/-1", .database),
        ("redis://h/1/2", .database), ("redis://h?db=1", .character), ("redis://h#1", .character),
        ("redis://h\n", .character), ("redis://h ", .character), ("redis://ü", .character),
        ("redis://u:%4@h", .escape), ("redis://u:%zz@h", .escape), ("redis://h%2e", .host), ("redis://h\\x", .host),
    ])
    func `what is no Redis URL is refused`(text: String, reason: RedisURL.Malformed) {
        #expect(throws: reason) { try RedisURL(text) }
    }

    @Test func `nothing prints a password`() throws {
        let settings = try RedisSettings(url: "redis://web:hunter2@localhost")
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!"\(settings)\(String(reflecting: settings))\(dumped)".contains("hunter2"))
    }
}
