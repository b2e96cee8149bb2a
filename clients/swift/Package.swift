// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "drawbridge-client",
    platforms: [.iOS(.v15), .macOS(.v12)],
    products: [.library(name: "DrawbridgeClient", targets: ["DrawbridgeClient"])],
    dependencies: [.package(url: "https://github.com/apple/swift-crypto.git", "3.0.0"..<"5.0.0")],
    targets: [
        // The service's package builds and tests the same folder, as a target of its own.
        .target(
            name: "DrawbridgeClient",
            dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
