import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { REPOSITORY_ROOT } from '../../system/processes.js';

export const CHART_FOLDER = join(REPOSITORY_ROOT, 'helm/settlement-bus-bridge');

/** A file of values that the chart must accept. */
export interface ValuesFile {
  readonly name: string;
  readonly path: string;
}

/** The examples, and the values of `tests/values`: everything on, everything off. */
export function listValuesFiles(): ValuesFile[] {
  return ['examples', 'tests/values'].flatMap((folder) =>
    readdirSync(join(CHART_FOLDER, folder))
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => ({ name: basename(file, '.yaml'), path: join(CHART_FOLDER, folder, file) })),
  );
}

/** Examples of objects beside the chart. */
export const MANIFEST_EXAMPLES = join(CHART_FOLDER, 'examples/secrets');

/** @returns the lowest minor version that `kubeVersion` of the chart permits, such as 30 for ">=1.30.0-0" */
export function readOldestMinor(): number {
  const { kubeVersion = '' } = parse(readFileSync(join(CHART_FOLDER, 'Chart.yaml'), 'utf8')) as {
    kubeVersion?: string;
  };
  const minor = /^>=\s*1\.(\d+)/.exec(kubeVersion)?.[1];
  if (minor === undefined) {
    throw new Error(
      `kubeVersion of ${CHART_FOLDER}/Chart.yaml is "${kubeVersion}". Only a form such as ">=1.30.0-0" is allowed; name the oldest version of Kubernetes.`,
    );
  }
  return Number(minor);
}
