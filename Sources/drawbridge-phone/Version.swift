/// The version of this program: that of the service, with which it comes.
enum Version {
    static let text = "0.1.0"
}
