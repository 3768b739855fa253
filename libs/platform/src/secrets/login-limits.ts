export interface LoginLimits {
  /** Checks of one user's secrets that need not wait for each other. */
  readonly slotBurst: number;
  /** Time between two further checks. */
  readonly slotIntervalMs: number;
  /** Attempts for one user that wait, from one network and from all. */
  readonly maxWaitingPerNetwork: number;
  readonly maxWaitingPerUser: number;
  /** Attempts that wait for all users who do not exist. */
  readonly maxWaitingUnknown: number;
  readonly maxWaitMs: number;
  /** Failures of one user from one network with a response after `minFailureMs`; the response to further failures takes `slowFailureMs`. */
  readonly freeFailures: number;
  /** Time after which one failure is forgotten. */
  readonly forgetFailureMs: number;
  readonly minFailureMs: number;
  readonly slowFailureMs: number;
  /** Responses that are delayed at the same time. A further failure gets its response without a delay. */
  readonly maxDelayedFailures: number;
}

/** A hash of the current cost takes 50 ms, so that hashing for one user takes a tenth of a core. */
export const LOGIN_LIMITS: LoginLimits = {
  slotBurst: 10,
  slotIntervalMs: 500,
  maxWaitingPerNetwork: 16,
  maxWaitingPerUser: 64,
  maxWaitingUnknown: 1_000,
  maxWaitMs: 10_000,
  freeFailures: 5,
  forgetFailureMs: 60_000,
  // Longer than a hash, so that the response time does not show whether a user exists.
  minFailureMs: 200,
  slowFailureMs: 1_000,
  maxDelayedFailures: 1_000,
};
