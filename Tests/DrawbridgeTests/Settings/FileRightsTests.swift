import Foundation
import Testing

@testable import drawbridge

/// What somebody is told whom owner and mode of a file keep out of it.
@Suite struct FileRightsTests {
    private static let nobody: uid_t = 65_534
    private static let nameless: uid_t = 12_345

    private func rights(of owner: uid_t, in folderOwner: uid_t, mode: mode_t = 0o100600) -> FileRights {
        FileRights(path: "/data/key", owner: owner, folderOwner: folderOwner, mode: mode)
    }

    @Test func `what root left in the folder of the service's account is to be given to that`() {
        #expect(
            rights(of: 0, in: Self.nobody).remedy(for: Self.nobody)
                == "/data/key belongs to root, and this runs as nobody, whose folder it is in: give it to nobody "
                + "(chown nobody /data/key).")
    }

    @Test func `whoever is not the service's account is told to be it`() {
        #expect(
            rights(of: Self.nobody, in: Self.nobody).remedy(for: Self.nameless)
                == "/data/key belongs to nobody, and this runs as 12345: run it as nobody "
                + "(runuser -u nobody -- drawbridge …), or name another place.")
        #expect(
            rights(of: Self.nameless, in: 0).remedy(for: Self.nobody)
                == "/data/key belongs to 12345, and this runs as nobody: run it as the account 12345, or name "
                + "another place.")
    }

    @Test func `nobody is told to run the service as root`() {
        let told = rights(of: 0, in: 0).remedy(for: Self.nobody)
        #expect(told.hasPrefix("/data/key belongs to root, and this runs as nobody: give it to the account that runs"))
        #expect(!told.contains("runuser"))
    }

    @Test func `nobody is told to take a folder of the system's over`() {
        let system = rights(of: 0, in: 0, mode: 0o40755).remedy(for: Self.nobody)
        #expect(
            system
                == "/data/key belongs to root, and this runs as nobody: name another place, or have root make a folder "
                + "there (install -d -o nobody -m 700 /data/key/NAME).")
        let closed = rights(of: 0, in: 0, mode: 0o40700).remedy(for: Self.nobody)
        #expect(closed == "/data/key belongs to root, and this runs as nobody: name another place.")
        let top = FileRights(path: "/", owner: 0, folderOwner: 0, mode: 0o40755).remedy(for: Self.nobody)
        #expect(top.hasSuffix("(install -d -o nobody -m 700 /NAME)."))
    }

    @Test func `what refuses an account its own file with all rights is something else than owner and mode`() {
        #expect(!rights(of: Self.nobody, in: 0).isReason(for: Self.nobody))
        #expect(!rights(of: Self.nobody, in: 0, mode: 0o40700).isReason(for: Self.nobody))
        #expect(rights(of: Self.nobody, in: 0, mode: 0o100400).isReason(for: Self.nobody))
        #expect(rights(of: Self.nobody, in: 0, mode: 0o40600).isReason(for: Self.nobody))
        #expect(rights(of: 0, in: 0).isReason(for: Self.nobody))
    }

    @Test func `whose own mode keeps them out is told that`() {
        #expect(
            rights(of: Self.nobody, in: 0, mode: 0o100200).remedy(for: Self.nobody)
                == "/data/key belongs to nobody, which runs this, and its mode is 0200 (chmod u+rw /data/key).")
        let folder = rights(of: Self.nobody, in: 0, mode: 0o40600).remedy(for: Self.nobody)
        #expect(folder.hasSuffix("its mode is 0600 (chmod u+rwx /data/key)."))
    }

    @Test func `the folder on the way that keeps an account out is the obstacle`() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/closed/inner", withIntermediateDirectories: true)
        try #require(chmod("\(folder.path)/closed", 0) == 0)
        defer { chmod("\(folder.path)/closed", 0o700) }
        let file = try folder.file("file", "", mode: 0o200)
        let found = ["\(folder.path)/closed/inner/file", file].map { FileRights.obstacle(to: $0)?.path }
        // Root is kept out of nothing.
        #expect(found == (geteuid() == 0 ? [nil, nil] : ["\(folder.path)/closed", file]))
    }

    @Test func `where owner and mode allow it, and where there is nothing, there is no obstacle`() throws {
        let folder = try TemporaryFolder()
        #expect(FileRights.obstacle(to: try folder.file("file", "")) == nil)
        #expect(FileRights.obstacle(to: "\(folder.path)/new") == nil)
        #expect(FileRights.obstacle(to: "/no/such/folder/file") == nil)
    }
}
