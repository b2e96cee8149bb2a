#if canImport(SwiftUI)
    import Foundation
    import SwiftUI

    /// What the package's README shows for SwiftUI, so that it is type-checked.
    private struct ContactsButton: View {
        let drawbridge: Drawbridge
        @State private var page: String?
        @State private var problem = ""

        var body: some View {
            Button("My contacts") { page = "/contacts" }
                .opensSignedIn($page, by: drawbridge) { problem = $0.localizedDescription }
        }
    }
#endif
