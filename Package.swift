// swift-tools-version: 6.2
import PackageDescription

/// One strictness for every target: warnings are errors, and imports are explicit (docs/architecture.md).
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "drawbridge",
    // For DrawbridgeClient, the library for apps; the service itself runs on Linux.
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "DrawbridgeClient", targets: ["DrawbridgeClient"]),
        .library(name: "SelfIssuedIdP", targets: ["SelfIssuedIdP"]),
        .executable(name: "drawbridge", targets: ["drawbridge"]),
        .executable(name: "drawbridge-app", targets: ["drawbridge-app"]),
        .executable(name: "drawbridge-phone", targets: ["drawbridge-phone"]),
    ],
    // Exact: there is no lock file in the repository, and a new version comes in by a commit of its own.
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", exact: "2.1.1"),
        // For tests alone: another implementation to hold ours against.
        .package(url: "https://github.com/vapor/jwt-kit.git", exact: "5.7.1"),
        .package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0"),
        // Hummingbird's: named here for its version and its traits alone.
        .package(
            url: "https://github.com/apple/swift-configuration.git", exact: "1.4.0",
            traits: ["JSON", "YAML", "CommandLineArguments", "Logging", "Reloading"]),
        .package(url: "https://github.com/jpsim/Yams.git", exact: "6.2.2"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", exact: "1.7.3"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0"),
        // What those depend on in turn, named here for their versions alone.
        .package(url: "https://github.com/apple/swift-algorithms.git", exact: "1.2.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-async-algorithms.git", exact: "1.1.4"),
        .package(url: "https://github.com/apple/swift-atomics.git", exact: "1.3.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", exact: "1.21.1"),
        .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers.git", exact: "1.7.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", exact: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-transport-services.git", exact: "1.28.0"),
        .package(url: "https://github.com/apple/swift-numerics.git", exact: "1.1.1"),
        .package(url: "https://github.com/apple/swift-service-context.git", exact: "1.5.1"),
        .package(url: "https://github.com/apple/swift-system.git", exact: "1.8.1"),
    ],
    targets: [
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "OAuth2",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .target(
            name: "Bridge",
            dependencies: [
                "OAuth2",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict),
        .target(
            name: "SQLStorage",
            dependencies: [
                "OAuth2", "Bridge", "CPostgres",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .target(
            name: "ClientTLS",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        // Without pkgConfig: hiredis.pc carries a flag that SwiftPM prohibits (-D_FILE_OFFSET_BITS=64).
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .systemLibrary(name: "CAllocator"),
        .target(
            name: "RedisStorage",
            dependencies: [
                "OAuth2", "Bridge", "ClientTLS", "CHiredis",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .target(
            name: "Federation",
            dependencies: [
                "OAuth2", "Bridge", "ClientTLS",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict),
        .systemLibrary(name: "CQRCode", providers: [.apt(["libqrcodegen-dev"])]),
        .target(
            name: "BridgeHTTP",
            dependencies: [
                "OAuth2", "Bridge", "CQRCode",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict),
        // Plays the provider for the tests of client libraries; it knows nothing of the service.
        .target(
            name: "VectorServer",
            dependencies: [
                "OAuth2",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "drawbridge",
            dependencies: [
                "CAllocator",
                "OAuth2", "Bridge", "SQLStorage", "RedisStorage", "Federation", "BridgeHTTP", "VectorServer",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Yams", package: "Yams"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        // What apps build in: nothing of the service in these two, and the only public declarations of the package.
        .target(
            name: "DrawbridgeClient",
            dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            // A package of its own as well, for apps.
            path: "clients/swift/Sources/DrawbridgeClient",
            swiftSettings: strict),
        .executableTarget(
            name: "drawbridge-app",
            dependencies: [
                "DrawbridgeClient",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .target(
            name: "SelfIssuedIdP",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "drawbridge-phone",
            dependencies: [
                "SelfIssuedIdP",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        // Here and not in bench/Package.swift: what it measures is open to this package only.
        .executableTarget(
            name: "bench-storage",
            dependencies: [
                "OAuth2", "Bridge", "SQLStorage", "RedisStorage",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "bench/storage",
            swiftSettings: strict),
        // What the tests of several targets share. The first knows nothing of the service: the tests of any may use it.
        .target(
            name: "TestSupport",
            path: "Tests/TestSupport",
            swiftSettings: strict),
        .target(
            name: "BridgeTestSupport",
            dependencies: [
                "Bridge",
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/BridgeTestSupport",
            swiftSettings: strict),
        .target(
            name: "StorageConformance",
            dependencies: ["OAuth2", "Bridge", "TestSupport"],
            path: "Tests/StorageConformance",
            swiftSettings: strict),
        .testTarget(
            name: "OAuth2Tests",
            dependencies: ["OAuth2", "TestSupport"],
            resources: [.copy("Cases")],
            swiftSettings: strict),
        .testTarget(
            name: "BridgeTests",
            dependencies: [
                "OAuth2", "Bridge", "SQLStorage", "StorageConformance", "TestSupport", "BridgeTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            resources: [.copy("Cases")],
            swiftSettings: strict),
        .testTarget(
            name: "SQLStorageTests",
            dependencies: [
                "OAuth2", "Bridge", "SQLStorage", "StorageConformance", "TestSupport", "BridgeTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RedisStorageTests",
            dependencies: [
                "Bridge", "RedisStorage", "StorageConformance", "TestSupport",
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FederationTests",
            dependencies: [
                "OAuth2", "Bridge", "Federation", "TestSupport", "BridgeTestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BridgeHTTPTests",
            dependencies: [
                "OAuth2", "Bridge", "SQLStorage", "BridgeHTTP", "BridgeTestSupport",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DrawbridgeClientTests",
            dependencies: [
                "OAuth2", "DrawbridgeClient", "VectorServer",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        // An app for the tests that look at the library from outside (Tests/EndToEnd/test_client_journeys.py).
        .executableTarget(
            name: "client-journey",
            dependencies: ["DrawbridgeClient"],
            path: "Tests/ClientJourney",
            swiftSettings: strict),
        .testTarget(
            name: "DesktopAppTests",
            dependencies: [
                "DrawbridgeClient", "drawbridge-app",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SelfIssuedIdPTests",
            dependencies: [
                "SelfIssuedIdP",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            resources: [.copy("Cases")],
            swiftSettings: strict),
        .testTarget(
            name: "PhoneTests",
            dependencies: [
                "SelfIssuedIdP", "drawbridge-phone",
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict),
        // Tries again what fuzz/ kept; the same sources as there.
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "OAuth2", "Bridge", "RedisStorage", "BridgeHTTP", "SelfIssuedIdP", "DrawbridgeClient", "drawbridge",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "fuzz/Targets",
            swiftSettings: strict),
        .testTarget(
            name: "DrawbridgeTests",
            dependencies: [
                "OAuth2", "Bridge", "SQLStorage", "RedisStorage", "Federation", "BridgeHTTP", "drawbridge",
                "BridgeTestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
