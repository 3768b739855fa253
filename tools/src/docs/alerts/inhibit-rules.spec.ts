import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { readAlertRules } from './alert-rules.js';

/** Labels of an alert that fires. */
type FiringAlert = Readonly<Record<string, string>> & { readonly alertname: string };

/** One of the values of a label, of which all others are refused. */
interface LabelMatcher {
  readonly label: string;
  readonly values: readonly string[];
}

/** While an alert that matches `sources` fires, those that match `targets` with equal labels are not notified. */
interface InhibitRule {
  readonly sources: readonly LabelMatcher[];
  readonly targets: readonly LabelMatcher[];
  readonly equal: readonly string[];
}

const inhibitRules = readInhibitRules('helm/settlement-bus-bridge/files/inhibit-rules.yaml');
const rules = readAlertRules();
const severityOf = new Map(rules.map(({ alert, labels }) => [alert, labels.severity]));
/** The alert that a sink of the kind alertmanager posts. */
const PROBLEM = 'SettlementProblem';
const firing = (alertname: string, labels: Readonly<Record<string, string>> = {}): FiringAlert => ({
  alertname,
  severity: severityOf.get(alertname) ?? 'unknown',
  namespace: 'bridge',
  release: 'one',
  ...labels,
});
const notified = (alerts: readonly FiringAlert[]): FiringAlert[] => {
  const inhibited = listInhibited(inhibitRules, alerts);
  return alerts.filter((alert) => !inhibited.has(alert));
};

it('names only alerts that exist, and holds back no alert about the market or lost facts', () => {
  const named = inhibitRules.flatMap(({ sources, targets }) => [...sources, ...targets]);
  for (const { label, values } of named)
    if (label === 'alertname')
      expect(values.filter((name) => !severityOf.has(name) && name !== PROBLEM)).toEqual([]);
  const all = rules.map(({ alert }) => firing(alert, { participant: 'P', app: 'poller' }));
  const left = notified(all).map(({ alertname }) => alertname);
  for (const alert of [
    'MarginBreached',
    'MarginWarning',
    'DeadLetters',
    'UnverifiedDeadLetters',
    'MessagesLost',
  ])
    expect(left).toContain(alert);
  expect(left).toContain('ConfigurationRefused');
});

it('notifies of one alert during an outage of Redis', () => {
  const participants = ['WPGENCO', 'WPRETAIL'];
  const outage = [
    firing('QueueUnavailable'),
    ...participants.flatMap((participant) => [
      firing('NoLeaseHolder', { participant }),
      firing('OperatorUnreachable', { participant }),
      firing('HeartbeatSilent', { participant, channel: 'prudential' }),
      firing('HeartbeatSilent', { participant, channel: 'operations' }),
    ]),
    ...['poller', 'bus-publisher', 'broker', 'gateway'].map((app) => firing('PodNotReady', { app })),
    firing('AppRestarting', { app: 'poller' }),
    firing('AppMissing', { app: 'poller' }),
    firing('GatewayUnusable', { app: 'bus-publisher' }),
    firing('GatewayUnusable', { app: 'subscriber' }),
    firing('PipelineLag', { sink: 'treasury' }),
    firing('PublishRetried'),
  ];
  expect(outage.length).toBeGreaterThanOrEqual(19);
  expect(notified(outage)).toEqual([outage[0]]);
  const another = firing('NoLeaseHolder', { participant: 'WPGENCO', release: 'two' });
  expect(notified([...outage, another])).toEqual([outage[0], another]);
});

it('notifies once of a margin of which the bridge itself notifies, and of every other alert', () => {
  const problem = (kind: string, severity: string, participant = 'WPGENCO') =>
    firing(PROBLEM, { kind, severity, participant, problem: kind });
  const margins = (participant = 'WPGENCO') =>
    ['MarginBreached', 'MarginWarning'].map((name) => firing(name, { participant }));
  const breach = problem('margin', 'critical');
  expect(notified([breach, ...margins()])).toEqual([breach]);
  const warning = problem('margin', 'warning');
  const [breached, low] = margins();
  expect(notified([warning, breached!, low!])).toEqual([warning, breached]);
  for (const other of [problem('statement-overdue', 'critical'), problem('margin', 'critical', 'WPRETAIL')]) {
    const all = [other, ...margins()];
    expect(notified(all)).toEqual(all);
  }
});

it('is the same in the configuration of Alertmanager for Compose', () => {
  expect(readInhibitRules('config/monitoring/alertmanager.yml')).toEqual(inhibitRules);
});

/** The list `inhibit_rules` of a file for Alertmanager. */
function readInhibitRules(path: string): InhibitRule[] {
  const { inhibit_rules: rules } = parse(readFileSync(join(REPOSITORY_ROOT, path), 'utf8')) as {
    inhibit_rules: { source_matchers: string[]; target_matchers: string[]; equal: string[] }[];
  };
  return rules.map(({ source_matchers: sources, target_matchers: targets, equal }) => ({
    sources: sources.map(readMatcher),
    targets: targets.map(readMatcher),
    equal,
  }));
}

function readMatcher(text: string): LabelMatcher {
  const [, label = '', operator, values = ''] = /^(\w+) *(=~|=) *"([\w|-]+)"$/.exec(text) ?? [];
  if (operator === undefined)
    throw new Error(`The matcher ${text} has another form than name="value" or name=~"a|b".`);
  return { label, values: operator === '=' ? [values] : values.split('|') };
}

/** As Alertmanager decides: an absent label equals an empty one, and an alert that matches both sides does not inhibit itself. */
function listInhibited(rules: readonly InhibitRule[], alerts: readonly FiringAlert[]): Set<FiringAlert> {
  const matches = (alert: FiringAlert, matchers: readonly LabelMatcher[]): boolean =>
    matchers.every(({ label, values }) => values.includes(alert[label] ?? ''));
  return new Set(
    alerts.filter((target) =>
      rules.some(
        ({ sources, targets, equal }) =>
          matches(target, targets) &&
          alerts.some(
            (source) =>
              source !== target &&
              matches(source, sources) &&
              equal.every((label) => (source[label] ?? '') === (target[label] ?? '')),
          ),
      ),
    ),
  );
}
