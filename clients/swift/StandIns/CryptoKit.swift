// The one part of Apple's framework that swift-crypto does not have. Nothing here runs. Taken from Apple's documentation;
// whether the signatures are right only a Mac can say.
public import Foundation

/// As Apple declares it.
public enum SecureEnclave {
    /// As Apple declares it.
    public enum P256 {
        /// As Apple declares it.
        public enum Signing {
            /// As Apple declares it.
            public struct PrivateKey: Sendable {
                /// As Apple declares it.
                public init() throws {}
                /// As Apple declares it.
                public init(dataRepresentation: Data) throws {}
                /// As Apple declares it.
                public var dataRepresentation: Data { Data() }
                /// As Apple declares it.
                public var publicKey: PublicKey { PublicKey() }
                /// As Apple declares it.
                public func signature(for data: some DataProtocol) throws -> Signature { Signature() }
            }

            /// As Apple declares it.
            public struct PublicKey: Sendable {
                /// As Apple declares it.
                public var rawRepresentation: Data { Data() }
            }

            /// As Apple declares it.
            public struct Signature: Sendable {
                /// As Apple declares it.
                public var rawRepresentation: Data { Data() }
            }
        }
    }
}
