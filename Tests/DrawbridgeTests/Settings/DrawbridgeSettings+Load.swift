@testable import drawbridge

extension DrawbridgeSettings {
    /// Reads, checks and resolves, as a start does.
    /// - Throws: ``SettingsRefused`` with every problem there is.
    static func load(_ inputs: SettingsInputs) throws -> DrawbridgeSettings {
        try SettingsInForce(RawSettings.read(inputs)).settings
    }
}
