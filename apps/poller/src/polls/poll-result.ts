/** What a poll found out about its interface. */
export interface PollResult {
  /** Whether the operator answered a request. A poll without an answer says nothing about the operator. */
  readonly hasAnswer: boolean;
  /** Failures of this poll, although other requests were answered. */
  readonly failures: readonly unknown[];
  /** Parts of answers that could not be used, now or earlier, and that no usable ones replaced since. */
  readonly unusable: readonly Error[];
  /** What a bound left out of the facts, now or earlier, and still leaves out. One sentence each. */
  readonly leftOut: readonly string[];
}
