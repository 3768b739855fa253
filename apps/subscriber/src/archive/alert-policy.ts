import {
  findMatchingRules,
  findRecipients,
  OPERATIONS_SINK,
  severityOf,
  type AlertFacts,
  type AlertRule,
  type OperatorConfig,
} from '@ssb/config';
import type { ProblemSignal, Severity } from '@ssb/events';
import type { Silence } from '../silences/domain/silence.js';
import type { VerifiedEntry } from './archive-entries.js';

/** What CONFIG_FILE says about new events. */
export interface AlertPolicy {
  /** Named by the event, else that of its problem kind and level. */
  severityOf(signal: ProblemSignal | undefined): Severity;
  /** The sinks of all rules that match. */
  findSinks(entry: VerifiedEntry, facts: AlertFacts): readonly string[];
  /** The rules that match; none where no rule of the configuration withholds anything. */
  findWithholdingRules(facts: AlertFacts): readonly AlertRule[];
  /** Whether the configuration has the sink. A sink that was removed gets nothing. */
  hasSink(name: string): boolean;
  /** Silences that apply now. */
  readonly silences?: readonly Silence[];
}

/** The rules and severities of a configuration. */
export function createAlertPolicy(config: OperatorConfig): AlertPolicy {
  const withholds = config.alerts.rules.some(({ mute, minInterval, group }) =>
    [mute, minInterval, group].some((key) => key !== undefined),
  );
  return {
    hasSink: (name) => hasSink(config, name),
    severityOf: (signal) => severityOf(config, signal),
    findSinks: (_, facts) => findRecipients(config, facts).sinks,
    findWithholdingRules: (facts) => (withholds ? findMatchingRules(config, facts) : []),
  };
}

/** The sink of OPERATIONS_WEBHOOK_URL is in the settings. */
export function hasSink({ alerts }: OperatorConfig, name: string): boolean {
  return name === OPERATIONS_SINK || alerts.sinks.some((sink) => sink.name === name);
}
