import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../system/processes.js';

export const CHART_FOLDER = join(REPOSITORY_ROOT, 'helm/settlement-bus-bridge');

/** Plugins and settings of the user are not used. */
const HELM_HOME = join(tmpdir(), 'settlement-bus-bridge-helm');
export const HELM_ENVIRONMENT = {
  HELM_CACHE_HOME: HELM_HOME,
  HELM_CONFIG_HOME: HELM_HOME,
  HELM_DATA_HOME: HELM_HOME,
  KUBECONFIG: '/dev/null',
};

/** Files of values that the chart must accept, relative to the chart: the examples, everything on, everything off. */
export function listValuesFiles(): string[] {
  return ['examples', 'tests/values'].flatMap((folder) =>
    readdirSync(join(CHART_FOLDER, folder))
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => `${folder}/${file}`),
  );
}
