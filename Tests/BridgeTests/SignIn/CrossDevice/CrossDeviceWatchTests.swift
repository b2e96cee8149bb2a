import BridgeTestSupport
import Synchronization
import Testing

@testable import Bridge

/// How many may be kept waiting, and who gives a place back.
@Suite struct CrossDeviceWatchTests {
    /// A version that no record gets beyond, so that only the time or the visitor ends a wait.
    private static let last = Int64.max
    private static let patience = Duration.seconds(25)

    @Test func `attack: of many who come at once as many wait as may`() async throws {
        try await withService { service in
            let watch = CrossDeviceWatch(store: service.storage, capacity: 5, time: SettableClock(noon).source)
            try await withThrowingTaskGroup(of: CrossDeviceWatch.Wait.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        try await watch.change(of: "page \(number)", from: Self.last, within: Self.patience)
                    }
                }
                for _ in 0..<45 {
                    let wait = try await group.next()
                    #expect(wait == .noPlace)
                }
                #expect(watch.waiting == 5)
                watch.stop()
                for _ in 0..<5 {
                    let wait = try await group.next()
                    #expect(wait == .ended)
                }
            }
        }
    }

    @Test func `attack: a page that asks again and again has one place`() async throws {
        try await withService { service in
            let watch = CrossDeviceWatch(store: service.storage, capacity: 2, time: SettableClock(noon).source)
            let first = wait(for: "page", in: watch)
            while watch.waiting < 1 { await Task.yield() }
            #expect(await wait(for: "page", in: watch).value == .noPlace)
            let other = wait(for: "other page", in: watch)
            while watch.waiting < 2 { await Task.yield() }
            watch.stop()
            #expect(await first.value == .ended)
            #expect(await other.value == .ended)
        }
    }

    @Test func `whoever was kept long enough gives the place to the next`() async throws {
        try await withService { service in
            let clock = SettableClock(noon)
            let watch = CrossDeviceWatch(store: service.storage, capacity: 1, time: clock.source)
            let first = wait(for: "page", in: watch)
            while watch.waiting < 1 { await Task.yield() }
            #expect(await wait(for: "next page", in: watch).value == .noPlace)
            clock.advance(Self.patience)
            #expect(await first.value == .ended)
            let next = wait(for: "next page", in: watch)
            while watch.waiting < 1 { await Task.yield() }
            watch.stop()
            #expect(await next.value == .ended)
        }
    }

    @Test func `whoever goes away gives the place to the next`() async throws {
        try await withService { service in
            let watch = CrossDeviceWatch(store: service.storage, capacity: 1, time: SettableClock(noon).source)
            let first = wait(for: "page", in: watch)
            while watch.waiting < 1 { await Task.yield() }
            first.cancel()
            #expect(await first.value == .ended)
            let next = wait(for: "next page", in: watch)
            while watch.waiting < 1 { await Task.yield() }
            watch.stop()
            #expect(await next.value == .ended)
        }
    }

    @Test func `whoever went away while another waits for the same record leaves the other's place alone`() async throws
    {
        try await withService { service in
            let watch = CrossDeviceWatch(store: service.storage, capacity: 2, time: SettableClock(noon).source)
            let first = wait(for: "page", in: watch)
            while watch.waiting < 1 { await Task.yield() }
            let again = wait(for: "page", in: watch)
            again.cancel()
            _ = await again.value
            #expect(watch.waiting == 1)
            watch.stop()
            #expect(await first.value == .ended)
        }
    }

    @Test func `a page without a place hears at once what stands, and when to ask again`() async throws {
        try await withService { service in
            let desk = try PhoneDesk(service)
            let page = try await desk.begin()
            let reports = Mutex<[CrossDeviceWatch.Report]>([])
            let node = desk.node(capacity: 0) { report in reports.withLock { $0.append(report) } }
            let news = try await node.news(of: page.secret, seen: .created)
            #expect(news.page.state == .created)
            #expect(news.page.left == 120)
            #expect(news.nextQuestionAfter == .seconds(10))
            #expect(reports.withLock { $0 } == [.turnedAway])
        }
    }

    private func wait(for key: String, in watch: CrossDeviceWatch) -> Task<CrossDeviceWatch.Wait?, Never> {
        Task { try? await watch.change(of: key, from: Self.last, within: Self.patience) }
    }
}
