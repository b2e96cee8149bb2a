package import Bridge

/// What every ``DeviceStore`` must do.
package enum SettingStoreConformance {
    package static let cases: [ConformanceCase<any BridgeStorage>] = [
        ConformanceCase("a setting is kept, replaced and taken back, each with its event") { open in
            let store = try await open()
            try expectEqual(try await store.setting("a"), nil, "at first")
            let event = Sample.event(.settingChanged)
            try await store.saveSetting("a", "1", at: Sample.now, event: event)
            try await store.saveSetting("a", "2", at: Sample.now, event: event)
            try expectEqual(try await open().setting("a"), "2", "replaced")
            try expectEqual(try await store.setting("b"), nil, "another")
            try await store.saveSetting("a", nil, at: Sample.now, event: event)
            try expectEqual(try await store.setting("a"), nil, "taken back")
            try expectEqual(try await store.events(.settingChanged).count, 3, "events")
        }
    ]
}
