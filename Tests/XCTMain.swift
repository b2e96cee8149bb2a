import Testing

/// Begins the tests. The package manager would write the same, but looks for tests of XCTest first, in an index that takes a
/// tenth of the time of a build.
@main
struct TestRun {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
