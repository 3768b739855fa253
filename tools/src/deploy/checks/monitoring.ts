import { Metrics, type MetricDefinition } from '@ssb/platform';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFromApps } from '../../docs/app-modules.js';
import type { AppMetrics } from '../../docs/metrics-page.js';
import { AMTOOL, PROMTOOL } from '../../programs/required-programs.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { CHART_FOLDER } from '../chart/chart-files.js';
import { CheckFailure, runOrFail } from '../check-failure.js';
import type { DeployCheck } from '../deploy-check.js';

const RULES_FILE = join(CHART_FOLDER, 'files/alert-rules.yaml');

/** Where Compose mounts the files of Prometheus. */
const MOUNT_FOLDER = '/etc/prometheus/';

export const ALERT_RULES: DeployCheck = {
  name: 'alert-rules',
  description: 'promtool: syntax of the alert rules, and the cases in which they fire or stay silent',
  programs: [PROMTOOL],
  run: async ({ findProgram }) => {
    const promtool = findProgram(PROMTOOL);
    const output = await runOrFail(promtool, ['check', 'rules', '--lint-fatal', RULES_FILE]);
    const cases = ['tests/alert-rules.test.yaml', 'tests/alert-rules-series.test.yaml'];
    await Promise.all(cases.map((path) => runOrFail(promtool, ['test', 'rules', join(CHART_FOLDER, path)])));
    return /\d+ rules/.exec(output)?.[0] ?? 'passed';
  },
};

export const MONITORING_CONFIGURATION: DeployCheck = {
  name: 'monitoring',
  description: 'promtool and amtool: configuration of Prometheus and Alertmanager for Compose',
  programs: [PROMTOOL, AMTOOL],
  run: async ({ findProgram, folder }) => {
    const monitoring = join(REPOSITORY_ROOT, 'config/monitoring');
    const mounted = join(folder, 'prometheus');
    mkdirSync(mounted);
    copyFileSync(RULES_FILE, join(mounted, 'alert-rules.yaml'));
    const configuration = readFileSync(join(monitoring, 'prometheus.yml'), 'utf8');
    writeFileSync(join(mounted, 'prometheus.yml'), configuration.replaceAll(MOUNT_FOLDER, `${mounted}/`));
    await runOrFail(findProgram(PROMTOOL), ['check', 'config', join(mounted, 'prometheus.yml')]);
    await runOrFail(findProgram(AMTOOL), ['check-config', join(monitoring, 'alertmanager.yml')]);
    return 'prometheus.yml, alertmanager.yml';
  },
};

/** The days of a certificate are what an operator asks for. */
const ACCEPTED_COMPLAINT = / use base unit "seconds" instead of "days"$/;

export const METRICS: DeployCheck = {
  name: 'metrics',
  description: 'promtool: names, units and help of every metric of the apps',
  programs: [PROMTOOL],
  run: async ({ findProgram }) => {
    const apps = await importFromApps<AppMetrics>('metrics');
    const findings: string[] = [];
    for (const { name, metricDefinitions } of apps) {
      const metrics = new Metrics();
      for (const definition of metricDefinitions) register(metrics, definition);
      const input = await metrics.registry.metrics();
      const promtool = findProgram(PROMTOOL);
      const { stdout, stderr, error } = spawnSync(promtool, ['check', 'metrics'], {
        input,
        encoding: 'utf8',
      });
      if (error !== undefined) throw error;
      const complaints = `${stdout}${stderr}`
        .split('\n')
        .filter((line) => line !== '' && !ACCEPTED_COMPLAINT.test(line));
      findings.push(...complaints.map((complaint) => `${name}: ${complaint}`));
    }
    if (findings.length > 0) throw new CheckFailure(findings.join('\n'));
    return `${apps.length} apps`;
  },
};

function register(metrics: Metrics, definition: MetricDefinition): void {
  switch (definition.type) {
    case 'counter':
      metrics.counter(definition);
      break;
    case 'gauge':
      metrics.gauge(definition);
      break;
    case 'histogram':
      metrics.histogram(definition);
      break;
  }
}
