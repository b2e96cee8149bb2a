import Testing

@testable import BridgeHTTP

/// A group of routes is copied by every request that waits in a closure of it (ADR-0059).
@Suite struct RouteGroupSizeTests {
    private static func size<Group: RouteGroup>(of _: Group.Type) -> Int { MemoryLayout<Group>.size }

    @Test func `ADR-0059: no group of routes is larger than 256 bytes`() {
        let large = RouteTable.groups.filter { Self.size(of: $0) > 256 }
        #expect(large.isEmpty, "their members should be classes: \(large)")
    }
}
