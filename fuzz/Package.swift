// swift-tools-version: 6.2
import PackageDescription

// A package of its own: a program that libFuzzer drives is built with flags that no dependency may have
// (docs/adr/ADR-0052-fuzzing.md). Its targets are the service's own sources, by links, so that `package` means the same
// and nothing is compiled that no target reads: of some modules only the files that parse.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        // The versions of ../Package.swift.
        .package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", exact: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0"),
        .package(url: "https://github.com/vapor/jwt-kit.git", exact: "5.7.1"),
    ],
    targets: [
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
        .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
        .target(
            name: "RedisStorage",
            dependencies: [
                "OAuth2", "Bridge", "CHiredis",
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            sources: ["Wire"],
            swiftSettings: strict),
        .target(
            name: "BridgeHTTP",
            dependencies: [
                "OAuth2", "Bridge",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            sources: [
                "Page/AccentStylesheet.swift",
                "Request/AuthorizationField.swift", "Request/BasicCredentials.swift",
                "Request/Cookie/CookieHeader.swift",
                "Request/HTTPFields+Values.swift", "Request/HeaderText.swift",
            ],
            swiftSettings: strict),
        .target(
            name: "drawbridge",
            dependencies: ["Bridge"],
            sources: ["Settings/DurationText.swift", "Settings/ListenAddress.swift"],
            swiftSettings: strict),
        .target(
            name: "SelfIssuedIdP",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .target(
            name: "DrawbridgeClient",
            dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict),
        .target(
            name: "Targets",
            dependencies: [
                "OAuth2", "Bridge", "RedisStorage", "BridgeHTTP", "drawbridge", "SelfIssuedIdP", "DrawbridgeClient",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Targets",
            // For the tests alone, of the package above.
            exclude: ["Neighbours.swift", "ReplayTests.swift", "SettingsFileTests.swift"],
            swiftSettings: strict),
        // libFuzzer brings `main`.
        .executableTarget(
            name: "Fuzz",
            dependencies: ["Targets"],
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]),
    ],
    swiftLanguageModes: [.v6]
)
