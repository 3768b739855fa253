/** How many checks and tests passed, and how many did not. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
}

export function add(a: Tally, b: Tally): Tally {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed };
}

/** What a single check adds. */
export function tallyOfCheck(ok: boolean): Tally {
  return ok ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * What a Jest run adds. A run that failed without a failed test (a file that does not load, a run that broke off, no test at all)
 * counts as one failure.
 * @param result text of Jest's JSON result; undefined when it wrote none
 */
export function tallyOfJest(result: string | undefined, ok: boolean): Tally {
  const { numPassedTests: passed = 0, numFailedTests: failed = 0 } = JSON.parse(result ?? '{}') as {
    numPassedTests?: number;
    numFailedTests?: number;
  };
  return { passed, failed: ok ? failed : Math.max(failed, 1) };
}

/** The last line of `npm test`, which CI reads. */
export function lastLine({ passed, failed }: Tally): string {
  return `${passed} passed, ${failed} failed`;
}
