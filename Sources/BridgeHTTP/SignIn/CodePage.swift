/// The content of the page that asks for a code.
struct CodePage: Sendable {
    let fields: [HiddenField]
    /// What its form's address ends in (``SignInErrand/querySuffix``).
    let querySuffix: String
    let destination: SignInErrand.Destination
    let notice: SignInNotice?
    /// The app that asked for the sign-in.
    let clientName: String?
    /// The complete page, for a visitor who is somebody else.
    let otherAccountURL: String
    /// Whose code is asked for where nothing was asked before; `nil` after the password.
    var name: String?
}
