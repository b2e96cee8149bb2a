/// What each metric says, for the `# HELP` lines of `/metrics`: one sentence for whoever finds the name in a chart.
enum MetricHelp {
    static let texts: [String: String] = [
        "drawbridge_audit_events_suppressed_total":
            "Refusals that were counted and not written to the audit log, by type.",
        "drawbridge_audit_events_total": "Events of the audit log, by type and outcome.",
        "drawbridge_audit_forward_connected": "1 while the receiver of the audit log is connected.",
        "drawbridge_audit_forward_failures_total": "Tries to send events to this receiver that failed.",
        "drawbridge_audit_forward_lag_events": "Events that the receiver is not known to have.",
        "drawbridge_audit_forward_lost_total": "Events that retention removed before the receiver had them.",
        "drawbridge_audit_forward_sent_total": "Events that the receiver has taken.",
        "drawbridge_audit_log_problems":
            "Contradictions found in the audit log; above 0 it was tampered with, or an older database was restored.",
        "drawbridge_database_restored_timestamp_seconds":
            "When this process last noticed that the database is an earlier one, to the minute.",
        "drawbridge_degraded":
            "1 while this part lacks what it needs, such as Redis or its file of notes, is away itself (redis), leaves "
            + "something undone (purge) or differs from the database's (clock).",
        "drawbridge_device_codes_total": "Sign-ins of devices without a browser, by outcome.",
        "drawbridge_http_request_duration_seconds":
            "Time from a request's head to its answer, by route, method and status.",
        "drawbridge_node_lease_epoch": "How often this server's name has changed hands.",
        "drawbridge_node_lease_held": "1 while no other process writes under this server's name.",
        "drawbridge_phone_sign_in_turned_away_total":
            "Questions of pages that wait for a phone which were answered at once, because as many waited as may.",
        "drawbridge_phone_sign_in_waiting": "Pages of this server that wait for a phone.",
        "drawbridge_ready": "1 while what the server cannot do without works, by what /readyz calls it.",
        "drawbridge_redemptions_total": "Login tokens that were brought to be redeemed, in whichever way, by outcome.",
        "drawbridge_self_issued_total": "Sign-ins by a phone's own key, by outcome.",
        "drawbridge_spans_dropped_total": "Spans of traced requests that nobody got, by reason.",
        "drawbridge_spans_sent_total": "Spans of traced requests that the collector has taken.",
        "drawbridge_tls_certificate_expiry_timestamp_seconds": "When the certificate in use expires.",
        "drawbridge_writer_longest_seconds":
            "The longest time since the start that the one connection that writes was held, by what held it.",
        "drawbridge_writer_seconds": "Time for which the one connection that writes was held, by what held it.",
        "drawbridge_writes_waiting": "Writes that waited for the one connection that writes, at the last look.",
    ]
}
