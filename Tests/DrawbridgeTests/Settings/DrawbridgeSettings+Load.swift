@testable import drawbridge

extension DrawbridgeSettings {
    /// Reads, checks and resolves, as a start does.
    /// - Throws: ``SettingsRefused`` with every problem there is.
    static func load(_ inputs: SettingsInputs) throws -> DrawbridgeSettings {
        try SettingsInForce(RawSettings.read(inputs)).settings
    }
}

extension SettingsRefused {
    /// What is said about settings that are refused; empty when they are accepted.
    static func problems(of settings: @autoclosure () throws -> DrawbridgeSettings) throws -> [String] {
        do {
            _ = try settings()
            return []
        } catch let refused as SettingsRefused {
            return refused.problems.map(\.description)
        }
    }
}
