extension Migration {
    /// To what an end of what was unused alone raised `login_tokens_void_until`, as apps' sign-outs did once, and when
    /// everything of the user had ended last by then. Once that column says something else, everything has ended since:
    /// so counts what is not known of an end, such as one of before this step, or by a node of the version before.
    static let endsOfEverything = Migration(version: 48, name: "ends of everything, apart from apps' sign-outs") { _ in
        [
            "ALTER TABLE app_user ADD COLUMN app_ended_at BIGINT",
            "ALTER TABLE app_user ADD COLUMN everything_ended_at BIGINT",
        ]
    }
}
