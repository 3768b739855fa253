import { findAlertRouting, type OperatorConfig } from '@ssb/config';
import { describeProblemKind, type ProblemKind, type ProblemSignal, type Severity } from '@ssb/events';
import type { VerifiedEntry } from './archive-entries.js';

/** What the rules compare of an event. */
export interface AlertFacts {
  readonly type: string;
  readonly participant: string;
  readonly severity: Severity;
  readonly problem?: ProblemKind;
  readonly amount?: string;
}

/** What CONFIG_FILE says about new events. */
export interface AlertPolicy {
  /** Named by the event, else that of its problem kind and level. */
  severityOf(entry: Pick<VerifiedEntry, 'event' | 'problem' | 'severity'>): Severity;
  /** The sinks of all rules that match. */
  findSinks(entry: VerifiedEntry, facts: AlertFacts): readonly string[];
}

/** The rules and severities of a configuration. */
export function createAlertPolicy(config: OperatorConfig): AlertPolicy {
  return {
    severityOf: ({ problem, severity }) => severity ?? defaultSeverity(problem),
    findSinks: (_, { type }) => findAlertRouting(config, type).sinks,
  };
}

function defaultSeverity(problem: ProblemSignal | undefined): Severity {
  if (problem === undefined) return 'info';
  const { severity } = describeProblemKind(problem.kind);
  return typeof severity === 'string' ? severity : severity[problem.level ?? 'WARNING'];
}
