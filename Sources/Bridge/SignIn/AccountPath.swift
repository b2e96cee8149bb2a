/// Pages about one's own account that a sign-in may lead to.
package enum AccountPath {
    package static let devices = "/account/devices"
    package static let secondFactor = "/account/second-factor"
    /// The same, for somebody on the way to the console.
    package static let secondFactorForConsole = "/account/second-factor?for=console"

    /// The path, when it is one of these, byte for byte.
    package static func checked(_ text: String?) -> String? {
        [devices, secondFactor, secondFactorForConsole].first { text?.utf8.elementsEqual($0.utf8) == true }
    }
}
