import { Metrics } from '@ssb/platform';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { importFromApps } from '../../docs/app-modules.js';
import type { AppMetrics } from '../../docs/metrics-page.js';
import { replaceVariables } from '../../docs/dashboard-queries.js';
import { AMTOOL, PROMTOOL } from '../../programs/required-programs.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { CHART_FOLDER } from '../chart/chart-files.js';
import { CheckFailure, type DeployCheck, requireProgram, runOrFail } from '../deploy-check.js';

const RULES_FILE = join(CHART_FOLDER, 'files/alert-rules.yaml');

/** Files of the chart with the cases of the alert rules. */
export const RULE_TEST_FILES = ['', '-series', '-days'].map((part) => `tests/alert-rules${part}.test.yaml`);

/** Where Compose mounts the files of Prometheus. */
const MOUNT_FOLDER = '/etc/prometheus/';

export const ALERT_RULES: DeployCheck = {
  name: 'alert-rules',
  description: 'promtool: syntax of the alert rules, and the cases in which they fire or stay silent',
  run: async () => {
    const promtool = requireProgram(PROMTOOL);
    const output = await runOrFail(promtool, ['check', 'rules', '--lint-fatal', RULES_FILE]);
    for (const path of RULE_TEST_FILES)
      await runOrFail(promtool, ['test', 'rules', join(CHART_FOLDER, path)]);
    return /\d+ rules/.exec(output)?.[0] ?? 'passed';
  },
};

export const MONITORING_CONFIGURATION: DeployCheck = {
  name: 'monitoring',
  description: 'promtool and amtool: configuration of Prometheus and Alertmanager for Compose',
  run: () =>
    inTemporaryFolder(async (mounted) => {
      const monitoring = join(REPOSITORY_ROOT, 'config/monitoring');
      copyFileSync(RULES_FILE, join(mounted, 'alert-rules.yaml'));
      const configuration = readFileSync(join(monitoring, 'prometheus.yml'), 'utf8');
      writeFileSync(join(mounted, 'prometheus.yml'), configuration.replaceAll(MOUNT_FOLDER, `${mounted}/`));
      await runOrFail(requireProgram(PROMTOOL), ['check', 'config', join(mounted, 'prometheus.yml')]);
      await runOrFail(requireProgram(AMTOOL), ['check-config', join(monitoring, 'alertmanager.yml')]);
      return 'prometheus.yml, alertmanager.yml';
    }),
};

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
}

export const DASHBOARDS: DeployCheck = {
  name: 'dashboards',
  description: 'promtool for each query of the dashboards',
  run: () =>
    inTemporaryFolder(async (folder) => {
      const dashboards = join(CHART_FOLDER, 'files/dashboards');
      const queries = readdirSync(dashboards).flatMap((file) => {
        const { panels } = JSON.parse(readFileSync(join(dashboards, file), 'utf8')) as Dashboard;
        return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
      });
      // promtool parses queries only as rules.
      const rules = queries.map((query, index) => ({
        record: `query:${index}`,
        expr: replaceVariables(query),
      }));
      const rulesFile = join(folder, 'dashboard-queries.yaml');
      writeFileSync(rulesFile, stringify({ groups: [{ name: 'dashboards', rules }] }));
      await runOrFail(requireProgram(PROMTOOL), ['check', 'rules', rulesFile]);
      return `${queries.length} queries`;
    }),
};

/** The days of a certificate are what an operator asks for. */
const ACCEPTED_COMPLAINT = / use base unit "seconds" instead of "days"$/;

export const METRICS: DeployCheck = {
  name: 'metrics',
  description: 'promtool: names, units and help of every metric of the apps',
  run: async () => {
    const promtool = requireProgram(PROMTOOL);
    const apps = await importFromApps<AppMetrics>('metrics');
    const findings: string[] = [];
    for (const { name, metricDefinitions } of apps) {
      const metrics = new Metrics();
      for (const definition of metricDefinitions) {
        if (definition.type === 'counter') metrics.counter(definition);
        else if (definition.type === 'gauge') metrics.gauge(definition);
        else metrics.histogram(definition);
      }
      const input = await metrics.registry.metrics();
      const { stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input, encoding: 'utf8' });
      const complaints = `${stdout}${stderr}`
        .split('\n')
        .filter((line) => line !== '' && !ACCEPTED_COMPLAINT.test(line));
      findings.push(...complaints.map((complaint) => `${name}: ${complaint}`));
    }
    if (findings.length > 0) throw new CheckFailure(findings.join('\n'));
    return `${apps.length} apps`;
  },
};

async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'monitoring-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
