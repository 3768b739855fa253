import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AMTOOL, PROMTOOL } from '../../programs/required-programs.js';
import { CHART_FOLDER } from '../../docs/chart/render-chart.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { runOrFail } from '../check-failure.js';
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
    await runOrFail(promtool, ['test', 'rules', ...cases.map((path) => join(CHART_FOLDER, path))]);
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
