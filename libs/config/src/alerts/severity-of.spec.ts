import type { ProblemSignal, Severity } from '@ssb/events';
import type { AlertsConfig } from './alerts-schema.js';
import { severityOf } from './severity-of.js';

const alerts: AlertsConfig = {
  severities: { margin: { warning: 'info' }, 'position-stale': 'critical' },
  sinks: [],
  rules: [],
};

it.each<[string, Pick<ProblemSignal, 'kind' | 'level' | 'severity'> | undefined, Severity]>([
  ['no problem', undefined, 'info'],
  ['named by the event', { kind: 'position-stale', severity: 'info' }, 'info'],
  ['of the file', { kind: 'position-stale' }, 'critical'],
  ['of the kind', { kind: 'operator-unreachable' }, 'critical'],
  ['of the level in the file', { kind: 'margin', level: 'WARNING' }, 'info'],
  ['of the level', { kind: 'margin', level: 'BREACHED' }, 'critical'],
  ['level OK', { kind: 'margin' }, 'info'],
  ['a fault without one', { kind: 'bridge-fault' }, 'warning'],
])('severity: %s', (_, signal, expected) => {
  expect(severityOf({ alerts }, signal)).toBe(expected);
});
