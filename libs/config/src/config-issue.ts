import type { EventType } from '@ssb/events';

/** Something valid that makes no sense. An error loses alerts or has no effect at all; a warning may be intended. */
export interface ConfigIssue {
  readonly severity: 'error' | 'warning';
  readonly path: readonly PropertyKey[];
  /** What is wrong and what is allowed; follows the path in a sentence. */
  readonly message: string;
}

/** The type that must reach a person. */
export const BREACHED = 'settlementbus.margin.breached.v1' satisfies EventType;

export const error = (path: readonly PropertyKey[], message: string): ConfigIssue => ({
  severity: 'error',
  path,
  message,
});
export const warning = (path: readonly PropertyKey[], message: string): ConfigIssue => ({
  severity: 'warning',
  path,
  message,
});
