import type { RequestRow, SinkRow } from '../../api/operations.js';

interface StateText {
  readonly label: string;
  readonly tone: 'good' | 'warning' | 'critical' | 'muted';
  /** One or two sentences. */
  readonly explanation: string;
}

/** The state of a sink in words. */
export function describeSink({ state, inConfigFile, parked }: SinkRow): StateText {
  if (!inConfigFile)
    return {
      label: 'not configured',
      tone: 'muted',
      explanation: 'CONFIG_FILE does not have it any more. What is pending is not attempted: skip it.',
    };
  switch (state) {
    case 'failing':
      return {
        label: 'failing',
        tone: 'critical',
        explanation:
          'It accepts nothing. One delivery at a time is attempted; everything is kept and delivered when it accepts again.',
      };
    case 'disabled':
      return {
        label: 'disabled',
        tone: 'warning',
        explanation: 'Its deliveries are kept, and none is attempted until it is enabled.',
      };
    case 'delivering':
      return parked === 0
        ? { label: 'delivering', tone: 'good', explanation: 'It accepts what it gets.' }
        : {
            label: 'delivering, some refused',
            tone: 'warning',
            explanation: 'It accepts deliveries, and has refused some.',
          };
  }
}

/** What kind of receiver it is. Of the name `OPERATIONS_WEBHOOK_URL`, what it gets. */
export function describeKind({ name, kind = '' }: SinkRow): string {
  if (name === 'OPERATIONS_WEBHOOK_URL') return 'faults of the bridge';
  return kind === name ? '' : kind;
}

const RANKS = { critical: 0, warning: 1, good: 2, muted: 3 } as const;

/** Those that need a person first, then by name. */
export function sortSinks(sinks: readonly SinkRow[]): readonly SinkRow[] {
  return sinks.toSorted(
    (one, other) =>
      RANKS[describeSink(one).tone] - RANKS[describeSink(other).tone] || one.name.localeCompare(other.name),
  );
}

/** How a test of a sink ended. */
export function describeTest(sink: string, { result = {} }: Pick<RequestRow, 'result'>): string {
  const { outcome, status, durationMs, description, response } = result;
  const took = typeof durationMs === 'number' ? ` in ${durationMs} ms` : '';
  const withStatus = typeof status === 'number' ? ` with status ${status}` : '';
  if (outcome === 'delivered') return `${sink} accepted the test${withStatus}${took}.`;
  const reason = status === undefined && typeof description === 'string' ? `: ${description}` : '';
  const said = typeof response === 'string' && response !== '' ? ` Response: ${response}` : '';
  return `${sink} did not accept the test${withStatus}${took} (${String(outcome)})${reason}.${said}`;
}
