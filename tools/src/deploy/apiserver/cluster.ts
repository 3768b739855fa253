import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import type { ApiServer } from './api-server.js';

export const NAMESPACE = 'bridge';

interface PodSpec {
  readonly volumes?: readonly unknown[];
}

interface PodTemplate {
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly spec: PodSpec;
}

interface WorkloadSpec {
  readonly template: PodTemplate;
  readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
}

interface Workload {
  readonly metadata: { readonly name: string };
  readonly spec: WorkloadSpec;
  readonly status: { readonly conditions?: readonly { readonly type: string }[] };
}

/** Paths of the resources whose controllers create pods. */
const WORKLOADS = [
  'apps/v1/{namespace}/deployments',
  'apps/v1/{namespace}/statefulsets',
  'batch/v1/{namespace}/jobs',
];

const JOBS = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`;

const POLL_INTERVAL_MS = 300;

/** The operator of the cluster creates it; examples name it. */
const PRIORITY_CLASS = 'business-critical';

/** Creates the definitions, a priority class, and a namespace that enforces the restricted Pod Security Standard. */
export async function prepareCluster(server: ApiServer, definitions: string): Promise<void> {
  for (const file of readdirSync(definitions)) {
    const definition: unknown = parse(readFileSync(join(definitions, file), 'utf8'));
    await createOrFail(server, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  }
  await createOrFail(server, '/apis/scheduling.k8s.io/v1/priorityclasses', {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: PRIORITY_CLASS },
    value: 1_000_000,
  });
  const labels = Object.fromEntries(
    ['enforce', 'warn', 'audit'].map((mode) => [`pod-security.kubernetes.io/${mode}`, 'restricted']),
  );
  await createOrFail(server, '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE, labels },
  });
  // A controller creates it in a whole cluster.
  await createOrFail(server, `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default' },
  });
}

/** Submits the pods that controllers would create, because only pods are refused by Pod Security. @returns their names */
export async function submitPods(server: ApiServer): Promise<string[]> {
  const names: string[] = [];
  for (const path of WORKLOADS) {
    const url = `/apis/${path.replace('{namespace}', `namespaces/${NAMESPACE}`)}`;
    for (const { metadata, spec } of await list(server, url)) {
      const { ok, text, warnings } = await server.request(
        'POST',
        `/api/v1/namespaces/${NAMESPACE}/pods?dryRun=All`,
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { ...spec.template.metadata, name: metadata.name },
          spec: withClaims(spec),
        },
      );
      if (!ok || warnings.length > 0)
        throw new Error(
          `The pod of ${metadata.name} is refused or has warnings: ${text} ${warnings.join(' ')}`,
        );
      names.push(metadata.name);
    }
  }
  return names;
}

/** The pod of a StatefulSet has a volume for each of its claims. */
function withClaims({ template, volumeClaimTemplates = [] }: WorkloadSpec): PodSpec {
  const claims = volumeClaimTemplates.map(({ metadata: { name } }) => ({
    name,
    persistentVolumeClaim: { claimName: name },
  }));
  return { ...template.spec, volumes: [...(template.spec.volumes ?? []), ...claims] };
}

/** Does what kubelet and Job controller do for a Job that succeeds, until the signal. helm waits for the Jobs of its hooks. */
export async function completeJobs(server: ApiServer, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const { metadata, status } of await list(server, JOBS)) {
      if (status.conditions?.some(({ type }) => type === 'Complete')) continue;
      const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      const condition = { status: 'True', lastTransitionTime: time, lastProbeTime: time };
      const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ ...condition, type }));
      const { ok, text } = await server.request(
        'PATCH',
        `${JOBS}/${metadata.name}/status`,
        { status: { startTime: time, completionTime: time, succeeded: 1, conditions } },
        'application/merge-patch+json',
      );
      if (!ok) throw new Error(`The Job ${metadata.name} could not be completed: ${text}`);
    }
    await delay(POLL_INTERVAL_MS);
  }
}

/** @returns the objects of a collection */
export async function list(server: ApiServer, path: string): Promise<Workload[]> {
  const { ok, text } = await server.request('GET', path);
  if (!ok) throw new Error(`GET ${path} failed: ${text}`);
  return (JSON.parse(text) as { items: Workload[] }).items;
}

async function createOrFail(server: ApiServer, path: string, object: unknown): Promise<void> {
  const { ok, text } = await server.request('POST', path, object);
  if (!ok) throw new Error(`POST ${path} failed: ${text}`);
}
