import Testing

@testable import drawbridge_app

@Suite struct LoopbackFamilyTests {
    @Test func `an IPv6 address stands in brackets`() {
        #expect(LoopbackFamily.ipv6.addressHost == "[::1]")
        #expect(LoopbackFamily.ipv4.addressHost == "127.0.0.1")
    }
}
