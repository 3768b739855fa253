import { ALERT_REASON_NAMES } from '@ssb/events';
import { COMMON_METRICS } from '@ssb/platform';
import { importFromApps } from '../app-modules.js';
import { listMetricNames, type AppMetrics } from '../metrics-page.js';
import {
  listReasons,
  readAlertRules,
  readRunbooks,
  readTestedAlerts,
  type AlertRule,
} from './alert-rules.js';

/** Metrics of Prometheus and Kubernetes. */
const FOREIGN_METRICS = ['up', 'kubelet_volume_stats_available_bytes', 'kubelet_volume_stats_capacity_bytes'];
/** Labels that Prometheus adds, and those of histograms. */
const FOREIGN_LABELS = ['namespace', 'instance', 'job', 'le'];
/** Words of PromQL that stand where a metric can stand. */
const WORDS = /^(and|or|unless|on|by|group_left|for|[a-z_]+_over_time|1d)$/;

const rules = readAlertRules();
const runbooks = readRunbooks();
const apps = await importFromApps<AppMetrics>('metrics');
const metricNames = new Set([...apps.flatMap(listMetricNames), ...FOREIGN_METRICS]);
const definitions = [...COMMON_METRICS, ...apps.flatMap(({ metricDefinitions }) => metricDefinitions)];

describe.each(rules.map((rule) => ({ ...rule, rule })))('the alert $alert', ({ rule }) => {
  it('has a severity, a summary with figures and a description', () => {
    const { labels, annotations } = rule;
    expect(['critical', 'warning']).toContain(labels.severity);
    expect(annotations.summary).toMatch(/\{\{.*\$(value|labels)/);
    expect(annotations.description).toMatch(/^[A-Z][^{]+\.$/);
  });

  it('has a page that is named after it', () => {
    const name = rule.alert.replaceAll(/\B[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
    expect(rule.annotations.runbook_url).toBe(`docs/operate/alerts/${name}.md`);
    const { text } = runbooks.find(({ path }) => path === rule.annotations.runbook_url)!;
    expect(text.split('\n')[0]).toBe(`# ${rule.alert}`);
    expect(text.match(/^## .+$/gm)).toEqual(['## Meaning', '## Look', '## Do', '## Check']);
  });

  it('uses only metrics, labels and values of labels that exist', () => {
    expect(listMetrics(rule)).not.toEqual([]);
    expect(listMetrics(rule).filter((name) => !metricNames.has(name))).toEqual([]);
    expect(listUnknownMatchers(rule)).toEqual([]);
    expect(listGroupings(rule).filter((label) => !isLabel(label))).toEqual([]);
  });

  it('has cases in which it fires and stays silent', () => {
    const { firing, silent } = readTestedAlerts();
    expect(firing).toContain(rule.alert);
    expect(silent).toContain(rule.alert);
  });
});

it('has no page without an alert', () => {
  expect(runbooks.map(({ path }) => path).toSorted()).toEqual(
    rules.map(({ annotations }) => annotations.runbook_url).toSorted(),
  );
});

it('reports every certificate', () => {
  const pattern = /__name__=~"([^"]+)"/.exec(find('CertificateExpiring').expr)?.[1] ?? '';
  const certificates = [...metricNames].filter((name) => name.endsWith('_certificate_days_left'));
  expect(certificates.filter((name) => !new RegExp(`^(?:${pattern})$`).test(name))).toEqual([]);
});

it('names each reason of an operational alert on one page', () => {
  const named = runbooks.flatMap(listReasons);
  expect(named.toSorted()).toEqual(ALERT_REASON_NAMES.toSorted());
});

function find(name: string): AlertRule {
  return rules.find(({ alert }) => alert === name)!;
}

/** The names outside of strings, matchers and groupings that are no functions. */
function listMetrics({ expr }: AlertRule): string[] {
  const bare = expr
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\{[^}]*\}/g, expandNames(expr))
    .replaceAll(/\b(by|on|group_left) \([^)]*\)/g, ' ')
    .replaceAll(/\[\w+\]|offset \w+/g, ' ');
  return [...bare.matchAll(/[a-z_][a-z_0-9]*(?!\w|\s*\()/g)]
    .map(([name]) => name.replace(/_bucket$/, ''))
    .filter((name) => !WORDS.test(name));
}

/** The names of a matcher like `{__name__=~"(a|b)_c"}`. */
function expandNames(expr: string): string {
  const [, options, rest] = /__name__=~"\(([^)]+)\)(\w+)"/.exec(expr) ?? [];
  return options?.replaceAll(/[^|]+/g, (option) => `${option}${rest} `).replaceAll('|', ' ') ?? ' ';
}

/** Matchers whose label or value the metric cannot have. */
function listUnknownMatchers({ expr }: AlertRule): string[] {
  return [...expr.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, metric = '', matchers = '']) =>
    [...matchers.matchAll(/(\w+)(?:=~|!~|!=|=)"([^"]*)"/g)]
      .filter(([, label = '', values = '']) => {
        if (FOREIGN_LABELS.includes(label)) return false;
        const listed = listValues(metric, label);
        return values.split('|').some((value) => listed === undefined || !listed.includes(value));
      })
      .map(([matcher]) => `${metric}: ${matcher}`),
  );
}

/** Values of a metric's label in all apps; undefined when it has no such label. */
function listValues(metric: string, label: string): readonly string[] | undefined {
  if (label === 'reason' && metric.startsWith('bridge_fault')) return ALERT_REASON_NAMES;
  const found = definitions
    .filter(({ name }) => name === metric)
    .flatMap(({ labels = {} }) => labels[label] ?? []);
  return found.length === 0 ? undefined : found;
}

function listGroupings({ expr }: AlertRule): string[] {
  return [...expr.matchAll(/\b(?:by|on|group_left) \(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels.split(', '),
  );
}

/** Rules add `app` and `file` to metrics that lack them. */
function isLabel(name: string): boolean {
  return FOREIGN_LABELS.includes(name) || definitions.some(({ labels = {} }) => name in labels);
}
