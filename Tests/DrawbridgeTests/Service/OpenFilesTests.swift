import Testing

@testable import drawbridge

@Suite struct OpenFilesTests {
    @Test(
        arguments: [
            (20_000, 10_000), (10_262, 10_000), (10_261, 9_999),
            (1024, 762), (300, 75), (3, 1),
        ])
    func `no more connections are served than there are files for`(_ limit: Int, _ served: Int) {
        let files = OpenFiles(limit: limit, eventLoops: 2)
        #expect(files.connections(of: 10_000) == served)
        #expect((files.warning(wanting: 10_000) != nil) == (served < 10_000))
    }

    @Test func `fewer connections than there are files for are as many as the settings say`() {
        let files = OpenFiles(limit: 1024, eventLoops: 2)
        #expect(files.connections(of: 500) == 500)
        #expect(files.warning(wanting: 500) == nil)
    }

    @Test func `where the system says nothing, the settings alone do`() {
        let files = OpenFiles(limit: nil, eventLoops: 2)
        #expect(files.connections(of: 10_000) == 10_000)
        #expect(files.warning(wanting: 10_000) == nil)
    }

    @Test func `the warning says what is served, and what limit would do`() throws {
        let warning = try #require(OpenFiles(limit: 1024, eventLoops: 2).warning(wanting: 10_000))
        #expect(warning.hasPrefix("http.max_connections: 762 connections are served at once, not 10000"))
        #expect(warning.contains("1024 files") && warning.contains("to 10262,"))
        #expect(!warning.contains("\n"))
    }

    @Test func `every event loop keeps files of its own, and the management listener's connections fit beside`() {
        let one = OpenFiles(limit: 1024, eventLoops: 1)
        #expect(OpenFiles(limit: 1024, eventLoops: 65).reserve == one.reserve + 192)
        #expect(one.reserve >= 2 * OpenFiles.managementConnections)
    }

    @Test func `the soft limit is raised to the hard one`() {
        let raised = OpenFiles.raised()
        #expect(raised.limit != nil)
        #expect(OpenFiles.raised() == raised)
    }
}
