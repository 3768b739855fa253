import { standardOutput } from '@ssb/platform';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endRunningCommands, runCommand } from '../../check/run-command.js';
import { CHART_FOLDER } from '../../docs/chart/render-chart.js';
import { onInterrupt } from '../../lifecycle/on-interrupt.js';
import { ResourceStack } from '../../lifecycle/resource-stack.js';
import { describeMissing, ensurePrograms } from '../../programs/ensure-programs.js';
import { ETCD } from '../../programs/required-programs.js';
import { listValuesFiles } from '../chart/chart-files.js';
import { helmEnvironment } from '../chart/rendered-chart.js';
import { ToolCache } from '../tools/tool-cache.js';
import { CRD_SCHEMAS, HELM, KUBE_APISERVER } from '../tools/tools.js';
import { ApiServer } from './api-server.js';
import { completeJobs, NAMESPACE, prepareCluster, submitPods } from './cluster.js';

/** `node tools/dist/deploy/apiserver/main.js` installs, upgrades and rolls back the chart on a real kube-apiserver. See docs/operate/apiserver-run.md. */
const RELEASE = 'bridge';

/** Helm prints the warnings of the API server, such as those of Pod Security. */
const WARNING = /^W\d{4} |\bWarning:/m;

/** Names of values that follow one another in a release. */
const UPGRADES = [
  ['nothing', 'everything', 'nothing'],
  ['minimal', 'production-ha', 'external-gateway', 'minimal'],
];

const resources = new ResourceStack();
onInterrupt(() => resources.release(), 130);
try {
  await runReleases();
} finally {
  await resources.release();
}

async function runReleases(): Promise<void> {
  const searchPath = process.env['PATH'] ?? '';
  const missing = ensurePrograms([ETCD], { searchPath, onProgress: print });
  const etcd = ETCD.find(searchPath);
  if (etcd === undefined) throw new Error(describeMissing(missing));
  const tools = new ToolCache(print);
  const kubeApiserver = await tools.provide(KUBE_APISERVER);
  const helm = await tools.provide(HELM);
  const definitions = join(await tools.provide(CRD_SCHEMAS), 'crds');
  const folder = mkdtempSync(join(tmpdir(), 'apiserver-'));
  await resources.defer(() => rmSync(folder, { recursive: true }));
  const server = await ApiServer.start({ kubeApiserver, etcd, folder }, resources);
  await prepareCluster(server, definitions);
  const stopped = new AbortController();
  const completing = completeJobs(server, stopped.signal);
  await resources.defer(async () => {
    stopped.abort();
    endRunningCommands('SIGTERM');
    // The race below has reported a failure.
    await completing.catch(() => undefined);
  });
  // helm waits for Jobs, so a failure to complete them must end the run.
  await Promise.race([completing, installReleases(helm, server, folder)]);
}

async function installReleases(helm: string, server: ApiServer, folder: string): Promise<void> {
  const environment = { ...helmEnvironment(folder), KUBECONFIG: server.kubeconfig };
  const runHelm = async (...args: readonly string[]): Promise<string> => {
    const { ok, output } = await runCommand(helm, [...args, '--namespace', NAMESPACE], { environment });
    if (!ok || WARNING.test(output)) throw new Error(`helm ${args.join(' ')} failed or warned:\n${output}`);
    return output;
  };
  const applyValues = async (command: string, values: string, ...more: readonly string[]): Promise<void> => {
    const started = Date.now();
    await runHelm(command, RELEASE, CHART_FOLDER, '--values', values, ...more);
    report(
      `${command} ${[values.replace(`${CHART_FOLDER}/`, ''), ...more].join(' ')}`,
      started,
      await submitPods(server),
    );
  };
  const changed = ['--set', 'image.tag=9.9.9', '--set', 'busPublisher.replicas=3'];
  for (const { path } of listValuesFiles()) {
    await applyValues('install', path);
    const first = await runHelm('get', 'manifest', RELEASE);
    await applyValues('upgrade', path, ...changed);
    const started = Date.now();
    await runHelm('rollback', RELEASE, '1');
    if ((await runHelm('get', 'manifest', RELEASE)) !== first)
      throw new Error('The manifests after the rollback differ from those of revision 1.');
    report('rollback to revision 1', started, await submitPods(server));
    await runHelm('uninstall', RELEASE);
  }
  // One release through different values and back: no field that cannot be changed may differ.
  for (const [first = '', ...others] of UPGRADES.map((names) => names.map(findValues))) {
    await applyValues('install', first);
    for (const values of others) await applyValues('upgrade', values);
    await runHelm('uninstall', RELEASE);
  }
  print('no warnings');
}

function findValues(name: string): string {
  const file = listValuesFiles().find((each) => each.name === name);
  if (file === undefined) throw new Error(`${CHART_FOLDER} has no values named ${name}.`);
  return file.path;
}

function report(step: string, started: number, pods: readonly string[]): void {
  print(`${step}: ok after ${((Date.now() - started) / 1_000).toFixed(1)} s, ${pods.length} pods accepted`);
}

function print(text: string): void {
  standardOutput.write(`${text}\n`);
}
