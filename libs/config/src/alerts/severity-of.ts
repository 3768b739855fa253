import { describeProblemKind, type ProblemKind, type ProblemSignal, type Severity } from '@ssb/events';
import type { OperatorConfig } from '../schema.js';
import type { AlertsConfig } from './alerts-schema.js';

/**
 * The severity of an event that opens or changes a problem: the one that it names, else that of `alerts.severities`, else the default of the
 * kind. `info` for an event of no problem and for a margin at level OK.
 */
export function severityOf(
  { alerts }: Pick<OperatorConfig, 'alerts'>,
  signal: Pick<ProblemSignal, 'kind' | 'level' | 'severity'> | undefined,
): Severity {
  if (signal === undefined) return 'info';
  const { kind, level, severity } = signal;
  if (severity !== undefined) return severity;
  const byDefault = describeProblemKind(kind).severity;
  if (typeof byDefault === 'string') return findConfigured(alerts, kind) ?? byDefault;
  if (level === undefined) return 'info';
  const configured = alerts.severities?.margin?.[level === 'BREACHED' ? 'breach' : 'warning'];
  return configured ?? byDefault[level];
}

/** The faults of the bridge name their severity, so the file has none for them. */
function findConfigured({ severities = {} }: AlertsConfig, kind: ProblemKind): Severity | undefined {
  return kind === 'margin' || kind === 'bridge-fault' ? undefined : severities[kind];
}
