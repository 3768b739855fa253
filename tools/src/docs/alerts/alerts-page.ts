import {
  ALERT_REASONS,
  alertSeverity,
  BRIDGE_APPS,
  type AlertReason,
  type AlertReasonDescription,
} from '@ssb/events';
import {
  MAX_ALERTS_PER_HOUR,
  MAX_ALERTS_PER_REASON,
  MAX_DOCUMENT_FAULTS,
  MAX_WAITING_ALERTS,
  SUMMARY_INTERVAL_MS,
} from '@ssb/faults';
import { basename } from 'node:path';
import { code, renderList } from '../markdown.js';
import { type AlertRule, listReasons, type Runbook } from './alert-rules.js';

const MINUTES = SUMMARY_INTERVAL_MS / 60_000;
const LIMITS = [
  `Further occurrences of a fault are reported every ${MINUTES} minutes. When ${MINUTES} minutes have passed since the last alert of a single fault, its next occurrence is a first one again.`,
  `An app raises at most ${MAX_ALERTS_PER_HOUR} alerts in an hour, and ${MAX_ALERTS_PER_REASON} of one reason and interface; always the first of each. The first alert in an hour about a calculation of a participant (\`calculation-in-future\`, \`operator-response-unusable\`) is always raised and not counted.`,
  `At most ${MAX_DOCUMENT_FAULTS} documents of one reason, participant and interface have a fault each. Further ones share the fault of the document \`*\`, whose detail says how many they are.`,
  `While the receiver of \`OPERATIONS_WEBHOOK_URL\` is down, the newest ${MAX_WAITING_ALERTS} alerts of a process wait; older ones are dropped, and [reported](operate/alerts/operational-alerts-dropped.md).`,
];

/**
 * The limits and reasons of operational alerts.
 * @param runbooks the pages of the alerts of Prometheus
 * @throws Error when no page names a reason, so that the operator finds no help
 */
export function renderAlertsPage(runbooks: readonly Runbook[]): string {
  const reasons = Object.entries(ALERT_REASONS) as [AlertReason, AlertReasonDescription][];
  const items = reasons.map(([name, { apps, meaning, action, clears }]) => {
    const kind = `${clears ? 'lasting' : 'single'}, ${alertSeverity(name)}`;
    return `${code(name)} (${listApps(apps)}; ${kind}; ${linkRunbook(name, runbooks)}): ${meaning} Do: ${action}`;
  });
  return [
    `## Limits\n\n${renderList(LIMITS)}`,
    '## Reasons\n\nEach has its apps, kind, [severity](operate/alerts/README.md) and runbook.',
    renderList(items),
  ].join('\n\n');
}

function linkRunbook(reason: string, runbooks: readonly Runbook[]): string {
  const found = runbooks.find((runbook) => listReasons(runbook).includes(reason));
  if (found === undefined)
    throw new Error(
      `No page in docs/operate/alerts names the reason ${reason}. Add it to the paragraph "Operational alerts:" of a page.`,
    );
  return `[${basename(found.path, '.md')}](operate/alerts/${basename(found.path)})`;
}

function listApps(apps: AlertReasonDescription['apps']): string {
  return apps.length === BRIDGE_APPS.length ? 'all' : apps.join(', ');
}

/** What to do at night, by severity. */
const SEVERITIES = {
  critical: 'Act now, also at night: facts are not reported, can be lost, or a margin is breached.',
  warning: 'Act within the working day: it becomes critical if nothing is done.',
};

/** The alerts of Prometheus. */
export function renderAlertsIndex(rules: readonly AlertRule[]): string {
  const sections = Object.entries(SEVERITIES).map(([severity, response]) => {
    const items = rules
      .filter(({ labels }) => labels.severity === severity)
      .map(
        ({ alert, annotations: { description, runbook_url: path }, for: duration }) =>
          `[${alert}](${basename(path)}), ${duration === undefined ? 'at once' : `after ${duration}`}: ${description}`,
      );
    return `## Alerts of severity ${severity}\n\n${response}\n\n${renderList(items)}`;
  });
  return sections.join('\n\n');
}
