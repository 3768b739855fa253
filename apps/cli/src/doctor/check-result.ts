/** `by-hand`: only a person can check it. `not-checked`: a setting, or something that is checked before it, is missing. */
export const OUTCOMES = ['wrong', 'warning', 'not-checked', 'by-hand', 'ok'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const GROUPS = [
  'Archive API',
  'Apps',
  'Operator',
  'Bus',
  'Queue',
  'Alerts',
  'Configuration',
  'Checklist of docs/operate/go-live.md',
] as const;
export type Group = (typeof GROUPS)[number];

/** One line of the report. */
export interface CheckResult {
  readonly group: Group;
  /** What was checked. */
  readonly check: string;
  readonly outcome: Outcome;
  /** What was found, and what to change. */
  readonly detail: string;
}

/** Makes the results of one group. */
export const resultsOf =
  (group: Group) =>
  (check: string, outcome: Outcome, detail: string): CheckResult => ({ group, check, outcome, detail });

/** The worst outcome comes first in OUTCOMES. */
export function findWorst(outcomes: readonly Outcome[]): Outcome | undefined {
  return OUTCOMES.find((outcome) => outcomes.includes(outcome));
}

/** So that all checks together take less than ten seconds. */
const TIMEOUT_MS = 8_000;
/** Of one request. */
export const REQUEST_TIMEOUT_MS = 6_000;

/** Runs checks with a bound. An error that they do not explain is one result. */
export async function bounded(
  group: Group,
  check: string,
  work: () => Promise<readonly CheckResult[]>,
): Promise<readonly CheckResult[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly CheckResult[]>((resolve) => {
    const detail = `It has not ended within ${TIMEOUT_MS / 1_000} s: look at network and load of the server.`;
    timer = setTimeout(() => resolve([{ group, check, outcome: 'wrong', detail }]), TIMEOUT_MS);
  });
  try {
    return await Promise.race([work(), late]);
  } catch (error) {
    return [{ group, check, outcome: 'wrong', detail: await explain(error) }];
  } finally {
    clearTimeout(timer);
  }
}

/** The sentences of an error of settings, files or servers. */
async function explain(error: unknown): Promise<string> {
  const [{ describeStartFailure }, { commandEnvironment }, { describeBusFailure }] = await Promise.all([
    import('@ssb/platform'),
    import('../settings.js'),
    import('../provision/bus-failures.js'),
  ]);
  const bus = describeBusFailure(error);
  if (bus !== undefined) return `${bus}. Correct address, user or rights.`;
  const failure = describeStartFailure(error, commandEnvironment());
  if (failure !== undefined) return failure.problems.join(' ');
  return error instanceof Error ? error.message : String(error);
}
