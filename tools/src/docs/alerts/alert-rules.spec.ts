import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALERT_REASON_NAMES, ALERT_REASONS, alertSeverity } from '@ssb/events';
import { parse } from 'yaml';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { importFromApps } from '../app-modules.js';
import { MetricCatalogue } from '../test/metric-catalogue.js';
import type { AppMetrics } from '../metrics-page.js';
import { RULE_TEST_FILES } from '../../deploy/checks/monitoring.js';
import { listPromqlNames } from '../test/promql-metrics.js';
import { listReasons, readAlertRules, readRunbooks } from './alert-rules.js';

/** What an alert does when its series are not there. */
const SERIES_CASES = ['absent series', 'stale series'] as const;

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

/** Names of the alerts that a case of `promtool test rules` expects, and of those that a case expects not to fire. */
function readTestedAlerts(): { readonly firing: Set<string>; readonly silent: Set<string> } {
  const names: readonly string[] = SERIES_CASES;
  const tests = readTests().filter(({ name }) => !names.includes(name));
  const firing = new Set<string>();
  const silent = new Set<string>();
  for (const { input_series: input, alert_rule_test: cases } of tests)
    for (const { alertname, exp_alerts: expected } of cases) {
      if (expected.length > 0) firing.add(alertname);
      // The series of namespace silent raise no alert at any time, or none is expected at this time.
      if (expected.length === 0 || input.some(({ series }) => series.includes('namespace="silent"')))
        silent.add(alertname);
    }
  return { firing, silent };
}

/** Names of the alerts that a case of this name tests. */
function readSeriesCases(name: (typeof SERIES_CASES)[number]): Set<string> {
  const cases = readTests()
    .filter((test) => test.name === name)
    .flatMap((test) => test.alert_rule_test);
  return new Set(cases.map(({ alertname }) => alertname));
}

interface RuleTest {
  readonly name: string;
  readonly input_series: readonly { readonly series: string }[];
  readonly alert_rule_test: readonly {
    readonly alertname: string;
    readonly exp_alerts: readonly unknown[];
  }[];
}

/** The cases of all files that promtool runs. */
function readTests(): readonly RuleTest[] {
  return RULE_TEST_FILES.flatMap(
    (path) => (parse(readChartFile(path)) as { readonly tests: readonly RuleTest[] }).tests,
  );
}

function readChartFile(path: string): string {
  return readFileSync(join(REPOSITORY_ROOT, 'helm/settlement-bus-bridge', path), 'utf8');
}
