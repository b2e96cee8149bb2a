// The names of Apple's framework that the library uses, so that its keychain is type-checked where there is none.
// Nothing here runs. Core Foundation's types are the Swift ones that they are bridged to. Taken from Apple's documentation;
// whether they are right only a Mac can say.

/// A Swift type in place of Core Foundation's.
public typealias CFString = String
/// A Swift type in place of Core Foundation's.
public typealias CFDictionary = [CFString: Any]
/// A Swift type in place of Core Foundation's.
public typealias CFTypeRef = Any
/// A Swift type in place of Core Foundation's.
public typealias CFOptionFlags = UInt
/// A Swift type in place of Core Foundation's.
public final class CFAllocator {}
/// A Swift type in place of Core Foundation's.
public final class CFError {}
/// As Apple declares it.
public typealias OSStatus = Int32

/// As Apple declares it.
public let errSecSuccess: OSStatus = 0
/// As Apple declares it.
public let errSecItemNotFound: OSStatus = -25300

/// As Apple declares it.
public let kSecClass: CFString = ""
/// As Apple declares it.
public let kSecClassGenericPassword: CFString = ""
/// As Apple declares it.
public let kSecAttrService: CFString = ""
/// As Apple declares it.
public let kSecAttrAccount: CFString = ""
/// As Apple declares it.
public let kSecAttrAccessGroup: CFString = ""
/// As Apple declares it.
public let kSecAttrAccessible: CFString = ""
/// As Apple declares it.
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = ""
/// As Apple declares it.
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = ""
/// As Apple declares it.
public let kSecAttrAccessControl: CFString = ""
/// As Apple declares it.
public let kSecUseDataProtectionKeychain: CFString = ""
/// As Apple declares it.
public let kSecReturnData: CFString = ""
/// As Apple declares it.
public let kSecMatchLimit: CFString = ""
/// As Apple declares it.
public let kSecMatchLimitOne: CFString = ""
/// As Apple declares it.
public let kSecValueData: CFString = ""

/// As Apple declares it.
public final class SecAccessControl {}

/// As Apple declares it.
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    /// As Apple declares it.
    public let rawValue: CFOptionFlags
    /// As Apple declares it.
    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }
    /// As Apple declares it.
    public static let userPresence = SecAccessControlCreateFlags(rawValue: 1)
    /// As Apple declares it.
    public static let biometryCurrentSet = SecAccessControlCreateFlags(rawValue: 8)
}

/// As Apple declares it.
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? { nil }

/// As Apple declares it.
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
/// As Apple declares it.
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
/// As Apple declares it.
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { 0 }
/// As Apple declares it.
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }
