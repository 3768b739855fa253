import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY_ROOT } from '../../system/processes.js';

const CHART = 'helm/settlement-bus-bridge';
const PAGES = 'docs/operate/alerts';

/** An alert rule for Prometheus. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  /** How long the condition must hold; absent: the alert fires at once. */
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    /** Path of the alert's page in the repository. */
    readonly runbook_url: string;
  };
}

/** The page of an alert: what it means, and what to do. */
export interface Runbook {
  /** Path in the repository. */
  readonly path: string;
  readonly text: string;
}

export function readAlertRules(): AlertRule[] {
  const { groups } = parse(read(`${CHART}/files/alert-rules.yaml`)) as {
    groups: { rules: AlertRule[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

/** Names of the alerts that a case of `promtool test rules` expects, and of those that a case expects not to fire. */
export function readTestedAlerts(): { readonly firing: Set<string>; readonly silent: Set<string> } {
  const { tests } = parse(read(`${CHART}/tests/alert-rules.test.yaml`)) as {
    tests: {
      input_series: { series: string }[];
      alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
    }[];
  };
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

/** What an alert does when its series are not there. */
export const SERIES_CASES = ['absent series', 'stale series'] as const;

/** Names of the alerts that a case of this name tests. */
export function readSeriesCases(name: (typeof SERIES_CASES)[number]): Set<string> {
  const { tests } = parse(read(`${CHART}/tests/alert-rules-series.test.yaml`)) as {
    tests: { name: string; alert_rule_test: { alertname: string }[] }[];
  };
  const cases = tests.filter((test) => test.name === name).flatMap((test) => test.alert_rule_test);
  return new Set(cases.map(({ alertname }) => alertname));
}

/** Every page of an alert; README.md is the list of them. */
export function readRunbooks(): Runbook[] {
  return readdirSync(join(REPOSITORY_ROOT, PAGES))
    .filter((file) => file !== 'README.md')
    .map((file) => ({ path: `${PAGES}/${file}`, text: read(`${PAGES}/${file}`) }));
}

/** The reasons of operational alerts that a page names in its line `Operational alerts:`. */
export function listReasons({ text }: Runbook): string[] {
  const line = /^Operational alerts?: (.+)$/m.exec(text)?.[1] ?? '';
  return [...line.matchAll(/`([a-z-]+)`/g)].map(([, reason = '']) => reason);
}

function read(path: string): string {
  return readFileSync(join(REPOSITORY_ROOT, path), 'utf8');
}
