import type { KeyTimes } from '../domain/key-schedule.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** How long a resource server may keep the published keys (`Cache-Control: max-age`). */
export const JWKS_MAX_AGE_SECONDS = 300;

/** How old a replica's own knowledge of the keys may become before it reads them again. */
export const READ_AGAIN_MS = MINUTE_MS;

/** Longest life that a setting can give a token, seconds. */
export const LONGEST_TOKEN_LIFETIME_SECONDS = 86_400;

/** Least time that a setting can let a key sign, seconds; well above the time that it is published ahead. */
export const SHORTEST_ROTATION_SECONDS = 3_600;

/**
 * A verifier's copy is at most `JWKS_MAX_AGE_SECONDS` and one `READ_AGAIN_MS` old, and some libraries keep one for ten minutes
 * whatever they are told: a quarter of an hour leaves the clocks of replicas room to differ. A retired key stays for the longest
 * life that any setting allows, so that a shortened setting strands no token.
 */
export function keyTimes(rotationSeconds: number): KeyTimes {
  return {
    rotateEveryMs: rotationSeconds * SECOND_MS,
    publishAheadMs: 15 * MINUTE_MS,
    keepRetiredMs: LONGEST_TOKEN_LIFETIME_SECONDS * SECOND_MS + 15 * MINUTE_MS,
  };
}
