import { describeProblemKind, type ProblemSignal, type Severity } from '@ssb/events';
import type { OperatorConfig } from '../schema.js';

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
  if (kind !== 'margin')
    return alerts.severities?.[kind] ?? (typeof byDefault === 'string' ? byDefault : 'info');
  if (level === undefined) return 'info';
  const configured = alerts.severities?.margin?.[level === 'BREACHED' ? 'breach' : 'warning'];
  return configured ?? (typeof byDefault === 'string' ? byDefault : byDefault[level]);
}
