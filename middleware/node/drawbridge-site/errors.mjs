// Why there is no user: the settings, an outage, or what was sent.

/** Settings that cannot work, or that would believe anybody. */
export class ConfigurationError extends Error {}

/** Nobody can say now who this is: 503, never "signed out" and never "signed in". */
export class Unavailable extends Error {}

/** What must not be believed; `reason` is one short word for the log. */
export class Refused extends Error {
  /** One that is not final may be believed later. */
  constructor(reason, isFinal = true) {
    super(reason);
    this.reason = reason;
    this.isFinal = isFinal;
  }
}
