import Foundation
import Testing

@testable import SQLStorage

@Suite struct BellTests {
    @Test func `who waits while nobody rings goes on after a while`() {
        #expect(!Bell().wait(atMost: .milliseconds(2)))
    }

    @Test func `who comes after it was rung does not wait, and whoever comes next does`() {
        let bell = Bell()
        bell.ring()
        #expect(bell.wait(atMost: .seconds(600)))
        #expect(!bell.wait(atMost: .zero))
    }

    @Test func `who waits is woken by another thread`() {
        let bell = Bell()
        Thread.detachNewThread { bell.ring() }
        #expect(bell.wait(atMost: .seconds(600)))
    }
}
