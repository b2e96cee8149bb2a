import Testing

/// Begins the tests where they are built without an index (see the Makefile).
@main
struct TestRun {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
