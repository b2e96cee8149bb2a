import Testing

@testable import Bridge

@Suite struct ConsolePathTests {
    @Test(arguments: [
        "/admin/", "/admin/users", "/admin/users/backend%3Aalice", "/admin/events?q=a%2Fb&type=login_token.replayed",
        "/admin/users/zo%C3%AB", "/admin/nodes?verify=1",
    ])
    func `an address of the console leads there`(path: String) {
        #expect(ConsolePath.checked(path) == path)
    }

    @Test(arguments: [
        "/admin/../x", "/admin/..", "/admin/./users", "/admin/%2e%2e/x", "/admin/%2E%2E%2Fx", "/admin/..%2fx",
        "/admin/users/%2e%2e/%2e%2e/x", "/admin/..;a/x", "/admin//evil.example", "/admin/%5c", "/admin/\\x",
        "/admin/%252e%252e/x", "/admin/%00", "/admin/a b", "/admin/\r\nx", "/admin/#x", "/admin/%zz", "/admin/é",
        "//admin/", "/administrator", "/admin", "/", "", "/ADMIN/", "https://evil.example/admin/",
        "/admin/sign-in", "/admin/sign-in?next=/admin/",
    ])
    func `whatever some reader may take for another address leads nowhere`(path: String) {
        #expect(ConsolePath.checked(path) == nil)
    }

    @Test func `nothing leads nowhere`() { #expect(ConsolePath.checked(nil) == nil) }
}
