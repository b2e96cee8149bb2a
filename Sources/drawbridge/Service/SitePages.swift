import BridgeHTTP

/// What people see: the files of the pages, and the pages that are made of them.
struct SitePages {
    let files: PublicFiles
    let pages: Pages

    /// - Throws: ``SettingsRefused`` naming the file of `public_directory` that cannot be used.
    init(_ settings: DrawbridgeSettings) throws(SettingsRefused) {
        let folder = settings.site.publicDirectory
        do {
            files = try folder.map { try PublicFiles(overriddenBy: $0) } ?? .embedded
            pages = try Pages(files: files, siteName: settings.site.name, signInURL: settings.absoluteSignInURL)
        } catch {
            let problem = SettingError(SiteSettings.publicDirectory, value: folder, Self.words(error))
            throw SettingsRefused(problems: [problem])
        }
    }

    private static func words(_ error: any Error) -> String {
        SystemFailure(error).map { "cannot \($0.task): \($0.reason)" } ?? "\(error)"
    }
}
