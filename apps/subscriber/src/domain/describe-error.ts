const MAX_LENGTH = 300;

/** The message of an error, for a fault or a readiness check. */
export function describeError(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_LENGTH);
}
