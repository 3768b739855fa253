import { findWorst, resultsOf, type CheckResult, type Group } from './check-result.js';

interface ChecklistItem {
  /** How the item of docs/operate/go-live.md begins. */
  readonly item: string;
  /** The groups of checks that decide it. Without them, only a person can. */
  readonly groups?: readonly Group[];
  /** What to do. */
  readonly hint: string;
}

/** The items of docs/operate/go-live.md in its order. A test compares them. */
export const CHECKLIST: readonly ChecklistItem[] = [
  {
    item: 'addresses of token service, prudential and settlement interface',
    groups: ['Operator'],
    hint: 'set operator.tokenUrl, .prudentialUrl and .settlementUrl',
  },
  {
    item: 'OAuth client for each participant',
    groups: ['Operator'],
    hint: 'set its Secret, and have its scopes checked',
  },
  {
    item: 'client certificate whose subject names the participant',
    groups: ['Operator'],
    hint: 'put it into the Secret of the participant',
  },
  {
    item: 'private authority of its servers',
    groups: ['Operator'],
    hint: 'set tokenCaSecret and reportingCaSecret',
  },
  { item: '[request limits]', hint: 'compare the limits of your account with the budgets above' },
  {
    item: 'egress to the operator',
    groups: ['Operator'],
    hint: 'set networkPolicy.external.operator and proxy',
  },
  {
    item: 'gateways, users, authority, approval',
    groups: ['Bus'],
    hint: 'carry out the tasks of the group Bus',
  },
  { item: 'channels with topics', groups: ['Bus'], hint: 'carry out the tasks of the group Bus' },
  { item: 'thresholds and hysteresis', hint: 'treasury confirms those of "busbridge config show"' },
  {
    item: 'payment reminders, last days to dispute statements, business days, holidays',
    hint: 'treasury confirms those of "busbridge config show"',
  },
  { item: 'sign of `payableAmount`', hint: 'compare an invoice that you had to pay' },
  { item: 'markets of each participant', hint: 'treasury confirms those of "busbridge config show"' },
  {
    item: '`busbridge config check`',
    groups: ['Configuration'],
    hint: 'correct the file; each warning is intended',
  },
  { item: '[Install]', groups: ['Archive API', 'Apps'], hint: 'correct the group Apps' },
  { item: 'External bus', groups: ['Bus'], hint: 'repeat the provisioning until nothing is left' },
  { item: '`helm test`', hint: 'run it, or "busbridge heartbeat"' },
  {
    item: '`/health` of each replica of the poller',
    groups: ['Apps', 'Operator'],
    hint: 'correct these groups',
  },
  { item: '[Compare by hand]', hint: 'compare figures, statements and invoices with those of the operator' },
  { item: 'Alert on purpose', hint: 'raise margin.warning, then set it back' },
  { item: 'Stop the poller for ten minutes', hint: 'heartbeat-missing is alerted, then cleared' },
  { item: 'Prometheus', hint: 'load the alert rules; the person on call acknowledges a test alert' },
  { item: '[Backup]', hint: 'restore it once elsewhere, and tick the page about hardening' },
  { item: 'Webhooks of production', hint: 'set them in config.alerts.sinks, then "busbridge sinks test"' },
];

const ofChecklist = resultsOf('Checklist of docs/operate/go-live.md');

/** Decides each item by the checks of its groups. Parts that were not checked leave it open. */
export function walkChecklist(results: readonly CheckResult[]): readonly CheckResult[] {
  return CHECKLIST.map(({ item, groups, hint }) => {
    const name = item.replaceAll(/[`[\]]/g, '');
    if (groups === undefined) return ofChecklist(name, 'by-hand', hint);
    const outcomes = results.filter(({ group }) => groups.includes(group)).map(({ outcome }) => outcome);
    const worst = findWorst(outcomes) ?? 'not-checked';
    const about = groups.map((group) => `"${group}"`).join(' and ');
    if (worst === 'ok') return ofChecklist(name, 'ok', `by ${about}`);
    return ofChecklist(name, worst, `see ${about}: ${hint}`);
  });
}
