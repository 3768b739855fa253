/** A document, such as a calculation or a statement, that could not be used. */
export interface UnusableDocument {
  /** Identifies the document within its interface, in every response; undefined for the list of all. */
  readonly document: string | undefined;
  /** One sentence, without payload and secrets. */
  readonly detail: string;
}

/** What a poll found out about its interface. */
export interface PollResult {
  /** Whether a response could be used, also in part. */
  readonly hasUsableResponse: boolean;
  /** Failures of this poll, although other requests had responses. */
  readonly failures: readonly unknown[];
  /** Documents that could not be used, now or earlier, and that no usable ones replaced since. */
  readonly unusable: readonly UnusableDocument[];
  /** Whether a document that was unusable under an earlier leader is usable now, or no longer requested. */
  readonly isReadable: (document: string) => boolean;
  /** What a bound left out of the facts, now or earlier, and still leaves out. One sentence each. */
  readonly leftOut: readonly string[];
}
