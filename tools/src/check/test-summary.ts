/** How many checks and tests passed, and how many failed. */
export interface TestSummary {
  readonly passed: number;
  readonly failed: number;
}

export function addSummaries(a: TestSummary, b: TestSummary): TestSummary {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed };
}

export function summarizeCheck(ok: boolean): TestSummary {
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * A run that failed without a failed test (for example a file that does not load) counts as one failure.
 * @param result text of Jest's JSON result; undefined when Jest wrote none
 */
export function summarizeJest(result: string | undefined, ok: boolean): TestSummary {
  const { numPassedTests: passed = 0, numFailedTests: failed = 0 } = JSON.parse(result ?? '{}') as {
    numPassedTests?: number;
    numFailedTests?: number;
  };
  return { passed, failed: ok ? failed : Math.max(failed, 1) };
}

/** The last line of `npm test`, which CI reads. */
export function formatSummary({ passed, failed }: TestSummary): string {
  return `${passed} passed, ${failed} failed`;
}

/** The line of one check. @param started epoch milliseconds */
export function formatOutcome(name: string, ok: boolean, started: number): string {
  return `── ${name}: ${ok ? 'ok' : 'FAILED'} after ${Math.round((Date.now() - started) / 1000)} s`;
}
