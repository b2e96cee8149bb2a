// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nothing that is only measured against is part of the service's.
let package = Package(
    name: "bench",
    platforms: [.macOS(.v15)],
    dependencies: [
        // The versions of ../Package.swift: the baseline is the same HTTP server without Drawbridge.
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1"),
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
    ],
    targets: [
        .executableTarget(
            name: "bench-hello",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                // Not imported; named, so that their versions are the server's too.
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "hello",
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
