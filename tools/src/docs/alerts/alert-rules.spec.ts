import { ALERT_REASON_NAMES, ALERT_REASONS, alertSeverity } from '@ssb/events';
import { importFromApps } from '../app-modules.js';
import { MetricCatalogue } from '../metric-catalogue.js';
import type { AppMetrics } from '../metrics-page.js';
import { listPromqlNames } from '../promql-metrics.js';
import {
  listReasons,
  readAlertRules,
  readRunbooks,
  readSeriesCases,
  readTestedAlerts,
  SERIES_CASES,
} from './alert-rules.js';
import { listInhibited, readInhibitRules, type FiringAlert } from './inhibit-rules.js';

const rules = readAlertRules();
const runbooks = readRunbooks();
const catalogue = new MetricCatalogue(await importFromApps<AppMetrics>('metrics'));

describe('each alert rule', () => {
  it('has a severity, a summary with figures and a description', () => {
    for (const { alert, labels, annotations } of rules)
      expect({ alert, labels, annotations }).toMatchObject({
        labels: { severity: expect.stringMatching(/^(critical|warning)$/) },
        annotations: {
          summary: expect.stringMatching(/\{\{.*\$(value|labels)/),
          description: expect.stringMatching(/^[A-Z][^{]+\.$/),
        },
      });
  });

  it('has a page that is named after it', () => {
    for (const { alert, annotations } of rules) {
      const name = alert.replaceAll(/\B[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
      expect(annotations.runbook_url).toBe(`docs/operate/alerts/${name}.md`);
      const { text } = runbooks.find(({ path }) => path === annotations.runbook_url)!;
      expect(text.split('\n')[0]).toBe(`# ${alert}`);
      expect([alert, text.match(/^## .+$/gm)]).toEqual([
        alert,
        ['## Meaning', '## Look', '## Do', '## Check'],
      ]);
    }
  });

  it('uses only metrics, labels and values of labels that exist', () => {
    for (const { alert, expr } of rules) {
      expect([alert, listPromqlNames(expr).metrics]).not.toEqual([alert, []]);
      expect([alert, catalogue.findUnknown(expr)]).toEqual([alert, []]);
    }
  });

  it('has cases in which it fires and stays silent, and with absent and stale series', () => {
    const { firing, silent } = readTestedAlerts();
    const tested = [firing, silent, ...SERIES_CASES.map(readSeriesCases)];
    for (const alerts of tested)
      expect(rules.filter(({ alert }) => !alerts.has(alert)).map(({ alert }) => alert)).toEqual([]);
  });

  it('keeps the releases of a namespace apart', () => {
    for (const { alert, expr } of rules)
      for (const [grouping] of expr.matchAll(
        /\b(by|on) \([^)]*namespace[^)]*\)(?! settlement_bridge_app_info$)/gm,
      ))
        expect([alert, grouping]).toEqual([alert, expect.stringMatching(/namespace, release/)]);
  });
});

describe('inhibition', () => {
  const inhibitRules = readInhibitRules('helm/settlement-bus-bridge/files/inhibit-rules.yaml');
  const severityOf = new Map(rules.map(({ alert, labels }) => [alert, labels.severity]));
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
      if (label === 'alertname') expect(values.filter((name) => !severityOf.has(name))).toEqual([]);
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

  it('is the same in the configuration of Alertmanager for Compose', () => {
    expect(readInhibitRules('config/monitoring/alertmanager.yml')).toEqual(inhibitRules);
  });
});

it('has no page without an alert', () => {
  expect(runbooks.map(({ path }) => path).toSorted()).toEqual(
    rules.map(({ annotations }) => annotations.runbook_url).toSorted(),
  );
});

it('reports every certificate', () => {
  const { expr = '' } = rules.find(({ alert }) => alert === 'CertificateExpiring') ?? {};
  const certificates = catalogue.names.filter((name) => name.endsWith('_certificate_days_left'));
  expect(listPromqlNames(expr).metrics.toSorted()).toEqual(certificates.toSorted());
});

it('names each reason of an operational alert on one page', () => {
  const named = runbooks.flatMap(listReasons);
  expect(named.toSorted()).toEqual(ALERT_REASON_NAMES.toSorted());
});

it('gives the event of a reason the severity of the rule whose page names it', () => {
  for (const reason of ALERT_REASON_NAMES) {
    const page = runbooks.find((runbook) => listReasons(runbook).includes(reason));
    const rule = rules.find(({ annotations }) => annotations.runbook_url === page?.path);
    expect([reason, alertSeverity(reason)]).toEqual([reason, rule?.labels.severity]);
  }
});

it('has lasting reasons without a rule of their own only on the page of BridgeFault', () => {
  const { expr = '' } = rules.find(({ alert }) => alert === 'BridgeFault') ?? {};
  const excluded = /reason!~"([^"]+)"/.exec(expr)?.[1]?.split('|') ?? [];
  const lasting = ALERT_REASON_NAMES.filter((name) => ALERT_REASONS[name].clears);
  const page = runbooks.find(({ path }) => path.endsWith('/bridge-fault.md'))!;
  expect(lasting.filter((name) => !excluded.includes(name)).toSorted()).toEqual(listReasons(page).toSorted());
});

it('has no metric that could be taken for one of another product', () => {
  const others = catalogue.names.filter((name) => !/^settlement_(bridge|bus)_|^(process|nodejs)_/.test(name));
  expect(others).toEqual([]);
});
