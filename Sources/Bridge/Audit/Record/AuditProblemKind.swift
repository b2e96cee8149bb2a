/// How an audit log fails to be the one that was written.
package enum AuditProblemKind: String, Hashable, Sendable, CaseIterable {
    /// A field of the event is not what was hashed.
    case edited
    /// An event that must have been there is gone; its sequence is the first that is missing.
    case missing
    /// The event does not name the one before it as its predecessor.
    case unlinked
    /// A second event of the same sequence.
    case duplicated
    /// An event that follows one which came later.
    case outOfOrder = "out_of_order"
    /// A checkpoint covers events that are not there; its sequence is the first that is missing.
    case truncated
    /// The chain at a checkpoint's size is not the one that was signed.
    case checkpointMismatch = "checkpoint_mismatch"
    /// Checkpoints that were kept elsewhere, and that the chain agrees with, are gone from the database, more of them
    /// than restored backups explain; its sequence is the size of the first.
    case checkpointMissing = "checkpoint_missing"
    /// The checkpoint's note cannot be read, or says something else than its columns.
    case checkpointMalformed = "checkpoint_malformed"
    case checkpointBadSignature = "checkpoint_bad_signature"
    /// None of the checkpoint's signatures is by a trusted key.
    case checkpointUnknownKey = "checkpoint_unknown_key"
    /// A row cannot be read as what it should be.
    case unreadable
    /// The cut's note cannot be read, or says something else than its columns.
    case cutMalformed = "cut_malformed"
    case cutBadSignature = "cut_bad_signature"
    /// None of the cut's signatures is by a trusted key.
    case cutUnknownKey = "cut_unknown_key"
    /// There is no good checkpoint where the cut was made, so the age of what was removed is unknown.
    case cutUnproved = "cut_unproved"
    /// The checkpoint where the cut was made is of another chain.
    case cutMismatch = "cut_mismatch"
    /// The cut took events that were younger than the retention in force.
    case cutTooFar = "cut_too_far"
    /// The retention in force was shorter than the least that may have been.
    case retentionTooShort = "retention_too_short"
}
