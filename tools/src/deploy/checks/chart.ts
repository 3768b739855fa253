import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { runCommand } from '../../check/run-command.js';
import { CHART_FOLDER, HELM_ENVIRONMENT, listValuesFiles } from '../chart/chart-files.js';
import { CheckFailure, type DeployCheck, runAll, runOrFail } from '../deploy-check.js';
import { provideTool } from '../tools/tool-cache.js';
import {
  CRD_SCHEMAS,
  HELM,
  HELM_UNITTEST,
  KUBECONFORM,
  KUBERNETES_SCHEMAS,
  POD_SECURITY,
} from '../tools/tools.js';

export const HELM_UNITTESTS: DeployCheck = {
  name: 'helm-unittest',
  description: 'suites of helm/settlement-bus-bridge/tests',
  run: async () => {
    const program = await provideTool(HELM_UNITTEST);
    const output = await runOrFail(program, ['--strict', '--file', 'tests/*_test.yaml', CHART_FOLDER]);
    return /Tests:\s+(\d+) passed/.exec(output)?.[0].replace(/\s+/, ' ') ?? 'passed';
  },
};

export const HELM_LINT: DeployCheck = {
  name: 'helm-lint',
  description: 'helm lint --strict, with each example and with everything on and off',
  run: async () => {
    const files = listValuesFiles();
    const helm = await provideTool(HELM);
    await runAll(files, (file) =>
      runOrFail(helm, ['lint', '--strict', '--quiet', CHART_FOLDER, '--values', join(CHART_FOLDER, file)], {
        environment: HELM_ENVIRONMENT,
      }),
    );
    return `${files.length} files of values`;
  },
};

export const MANIFESTS: DeployCheck = {
  name: 'manifests',
  description:
    'helm template without warnings, for the oldest and newest Kubernetes; the manifests against strict schemas, every pod against the restricted Pod Security Standard',
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
    try {
      const versions = listVersions(await provideTool(KUBERNETES_SCHEMAS));
      await runAll(versions, (version) => checkManifests(version, folder));
      return `${listValuesFiles().length} files of values, Kubernetes ${versions.join(' and ')}`;
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** The oldest version of Kubernetes that `kubeVersion` of the chart permits, and the newest with schemas. */
function listVersions(schemas: string): string[] {
  const minor = (version: string): number => Number(version.split('.')[1]);
  const versions = readdirSync(schemas).toSorted((a, b) => minor(a) - minor(b));
  const { kubeVersion } = parse(readFileSync(join(CHART_FOLDER, 'Chart.yaml'), 'utf8')) as {
    readonly kubeVersion: string;
  };
  const oldestMinor = Number(/^>=\s*1\.(\d+)/.exec(kubeVersion)?.[1]);
  const oldest = versions.find((version) => minor(version) === oldestMinor);
  if (oldest === undefined)
    throw new CheckFailure(
      `kubeVersion of Chart.yaml is "${kubeVersion}". It must be a form such as ">=1.30.0-0", with a version of: ${versions.join(', ')}.`,
    );
  return [...new Set([oldest, ...versions.slice(-1)])];
}

async function checkManifests(version: string, folder: string): Promise<void> {
  const manifests = listValuesFiles().map((values) => ({
    values,
    path: join(folder, `${version}-${values.replaceAll('/', '-')}`),
  }));
  await runAll(manifests, ({ values, path }) => render(values, version, path));
  const kubeconform = await provideTool(KUBECONFORM);
  const schemas = join(await provideTool(KUBERNETES_SCHEMAS), version);
  const definitions = join(await provideTool(CRD_SCHEMAS), 'schemas');
  // One process, because reading the schemas takes most of the time.
  await runOrFail(kubeconform, [
    ...['-strict', '-summary', '-kubernetes-version', version],
    ...['-schema-location', join(schemas, '{{.ResourceKind}}{{.KindSuffix}}.json')],
    ...['-schema-location', join(definitions, '{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}.json')],
    join(CHART_FOLDER, 'examples/secrets'),
    ...manifests.map(({ path }) => path),
  ]);
  const podSecurity = await provideTool(POD_SECURITY);
  await runAll(manifests, ({ path }) => runOrFail(podSecurity, [path]));
}

/** Also fails when helm prints a warning. */
async function render(values: string, version: string, path: string): Promise<void> {
  const helm = await provideTool(HELM);
  const file = openSync(path, 'w');
  try {
    const { ok, output } = await runCommand(
      helm,
      [
        ...['template', 'bridge', CHART_FOLDER, '--namespace', 'bridge'],
        ...['--values', join(CHART_FOLDER, values), '--kube-version', version],
      ],
      { stdout: file, environment: HELM_ENVIRONMENT },
    );
    if (!ok || output !== '') throw new CheckFailure(`${values}, Kubernetes ${version}:\n${output}`);
  } finally {
    closeSync(file);
  }
}
