import { EVENT_TYPES, isUrgent, type EventType } from '@ssb/events';
import { findAlertRouting } from './lookup.js';
import { error, warning, type ConfigIssue } from './config-issue.js';
import { isUnknown } from './placeholders.js';
import type { OperatorConfig } from './schema.js';

/** Alerts that reach no person, and sinks without a rule. An unknown pattern or name may be any. */
export function findSinkIssues(config: OperatorConfig): ConfigIssue[] {
  const { rules, sinks } = config.alerts;
  const known = !rules.some((rule) => [...(rule.types ?? []), ...rule.sinks].some(isUnknown));
  if (!known || sinks.some(({ name }) => isUnknown(name))) return [];
  const used = new Set(rules.flatMap((rule) => rule.sinks));
  return [
    ...findUnattendedAlerts(config),
    ...sinks.flatMap(({ name }, index) =>
      used.has(name)
        ? []
        : [
            warning(
              ['alerts', 'sinks', index],
              `is the sink ${name}, which no rule uses; add it to a rule, or remove it`,
            ),
          ],
    ),
  ];
}

/** An error unless the file says that the deployment is unattended: then a warning. */
function findUnattendedAlerts(config: OperatorConfig): ConfigIssue[] {
  const { sinks, unattended = false } = config.alerts;
  // The log is the only sink that no person receives.
  const attended = new Set(sinks.filter(({ kind }) => kind !== 'console').map(({ name }) => name));
  const types = EVENT_TYPES.filter((type) => {
    const routing = findAlertRouting(config, type);
    // An urgent event must reach a person even if its rule calls it a notice.
    const isAlert = routing.alert || isUrgent(type);
    return isAlert && routing.sinks.length > 0 && !routing.sinks.some((name) => attended.has(name));
  });
  if (types.length === 0) return [];
  const what = `give ${listTypes(types)} only to the log, which alerts no person`;
  return [
    unattended
      ? warning(['alerts', 'rules'], `${what}; alerts.unattended permits it`)
      : error(
          ['alerts', 'rules'],
          `${what}; add a sink of the kind webhook to their rule, or set alerts.unattended: true where no person is to be alerted`,
        ),
  ];
}

/** The urgent types first. */
function listTypes(types: readonly EventType[]): string {
  const [first = '', ...others] = [...types].sort((a, b) => Number(isUrgent(b)) - Number(isUrgent(a)));
  return others.length === 0
    ? first
    : `${first} and ${others.length} more ${others.length === 1 ? 'type' : 'types'}`;
}
