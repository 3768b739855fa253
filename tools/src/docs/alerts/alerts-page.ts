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
import { listReasons, type Runbook } from './alert-rules.js';

const HEAD = `# Operational alerts

<!-- Written by npm run docs from libs/events/src/types/alert-reasons.ts; CI fails when it is out of date. -->

The bridge reports its own faults. A fault is identified by its app, [reason](#reasons), participant (\`*\` for all), channel, sender, interface and
document, as far as they apply: a running fault hides no other. A fault is of one of two kinds:

- **lasting**: a state that ends; its alert is cleared then
- **single**: an occurrence that stays a fact, such as a dead letter; its alert is not cleared

| where it is shown | lasting | single |
| --- | --- | --- |
| \`/health\` of the app, \`faults\` | while it lasts | no |
| metric \`settlement_bridge_fault_active\` | 1 while it lasts, then 0 | no |
| metric \`settlement_bridge_faults_total\` | counts the beginnings | counts the occurrences |
| log of the app | \`fault reported\`, \`fault ended\` | \`fault reported\` each time |
| event \`bridge.alert.raised\` | when it begins | first occurrence, then summaries |
| event \`bridge.alert.cleared\` | when it ends | no |

While a fault lasts, \`status\` in \`/health\` is \`degraded\`, or \`error\` when the app is not ready. The documents of one interface share a series of the
metric. \`message-quarantined\`, \`quarantine-full\` and \`alerts-held-back\` are shown by their events only. Each quarantined message also has a log line,
\`event quarantined\`, and counts in \`settlement_bridge_subscriber_messages_quarantined_total\`.

## How often

- The first occurrence of a fault is reported at once. Further ones are reported together, with their \`count\`, every ${SUMMARY_INTERVAL_MS / 60_000} minutes.
- ${SUMMARY_INTERVAL_MS / 60_000} minutes after the last alert, the next occurrence of a single fault is a first one again.
- An app raises at most ${MAX_ALERTS_PER_HOUR} alerts in an hour, and ${MAX_ALERTS_PER_REASON} of one reason and interface; always the first of each. The first alert in an hour about a
  calculation of a participant (\`calculation-in-future\`, \`operator-answer-unusable\`) is always raised and not counted.
- At most ${MAX_DOCUMENT_FAULTS} documents of one reason, participant and interface have a fault each. Further ones share the fault of the document \`*\`, whose detail says how
  many they are.

Replicas of an app count together. A fault ends when no process has confirmed it for 45 s. Above the limits, alerts wait for the next hour, and their
counts are in them. The alert \`alerts-held-back\` is raised with the first that waits, a minute later and then every 15 minutes: \`count\` and detail say
how many wait, by reason and interface.

## How they travel

- **subscriber**: directly into its archive and its alert outbox.
  - \`sink-failing\`, \`delivery-refused\`: the same, and to \`OPERATIONS_WEBHOOK_URL\`; to all sinks when the rules leave no person besides the sink at fault.
  - \`database-unavailable\`: directly to the sinks and to \`OPERATIONS_WEBHOOK_URL\`, from memory; each process reports its own.
- **poller, bus-publisher**: through the queue and the bus, on the channel of the route for \`settlementbus.bridge.*\`.
  - \`queue-unavailable\`: to \`OPERATIONS_WEBHOOK_URL\` only; each process reports its own, a failed start without Redis too.
  - Faults of the gateway, and \`subscriber-silent\` of the poller: to \`OPERATIONS_WEBHOOK_URL\`, kept in Redis until it is accepted; and through the queue once
    the gateway works.
  - An alert that the gateway does not accept in three attempts, or refuses: to \`OPERATIONS_WEBHOOK_URL\` as well.
  - An alert without a route: to \`OPERATIONS_WEBHOOK_URL\` only. The bus-publisher logs and counts it; it is not dead-lettered.

Posts to \`OPERATIONS_WEBHOOK_URL\` follow [Standard Webhooks](integrators.md#webhooks). The body is the event without proof. \`webhook-id\` is its id, which
is the same on the bus. Each alert is posted until the receiver accepts it. While the receiver is down, the newest ${MAX_WAITING_ALERTS} alerts of a process
wait; older ones are dropped, and [reported](operate/alerts/operational-alerts-dropped.md). Without the setting, these alerts are in the log and in \`/health\` only.

## Reasons

Each has its apps, kind, [severity](operate/alerts/README.md) and runbook.`;

/** No page of an alert names a reason, so the operator finds no help. */
export class ReasonWithoutRunbookError extends Error {
  override readonly name = 'ReasonWithoutRunbookError';

  constructor(readonly reason: string) {
    super(
      `No page in docs/operate/alerts names the reason ${reason}. Add it to the line "Operational alerts:" of a page.`,
    );
  }
}

/**
 * A Markdown page with the reasons of operational alerts.
 * @param runbooks the pages of the alerts of Prometheus
 * @throws ReasonWithoutRunbookError
 */
export function renderAlertsPage(runbooks: readonly Runbook[]): string {
  const reasons = Object.entries(ALERT_REASONS) as [AlertReason, AlertReasonDescription][];
  const items = reasons.map(([name, { apps, meaning, action, clears }]) => {
    const kind = `${clears ? 'lasting' : 'single'}, ${alertSeverity(name)}`;
    return `${code(name)} (${listApps(apps)}; ${kind}; ${linkRunbook(name, runbooks)}): ${meaning} Do: ${action}`;
  });
  return `${HEAD}\n\n${renderList(items)}\n`;
}

function linkRunbook(reason: string, runbooks: readonly Runbook[]): string {
  const found = runbooks.find((runbook) => listReasons(runbook).includes(reason));
  if (found === undefined) throw new ReasonWithoutRunbookError(reason);
  return `[${basename(found.path, '.md')}](operate/alerts/${basename(found.path)})`;
}

function listApps(apps: AlertReasonDescription['apps']): string {
  return apps.length === BRIDGE_APPS.length ? 'all' : apps.join(', ');
}
