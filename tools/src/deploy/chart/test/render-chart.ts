import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { provideTool } from '../../tools/tool-cache.js';
import { HELM } from '../../tools/tools.js';
import { CHART_FOLDER, HELM_ENVIRONMENT } from '../chart-files.js';

export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: unknown;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env: readonly EnvironmentVariable[];
}

export interface KubernetesObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
}

/** Helm refused the values or a template. */
export class HelmError extends Error {
  override readonly name = 'HelmError';
}

/**
 * Renders the chart as the release `bridge`.
 * @param files values files, relative to the chart
 * @param values further values, such as `redis.url=x`
 * @param options of `helm template`
 * @throws HelmError
 */
export async function renderChart(
  files: readonly string[],
  values: readonly string[] = [],
  options: readonly string[] = [],
): Promise<KubernetesObject[]> {
  const args = [
    ...['template', 'bridge', CHART_FOLDER, ...options],
    ...files.flatMap((file) => ['--values', join(CHART_FOLDER, file)]),
    ...values.flatMap((value) => ['--set', value]),
  ];
  return parseAllDocuments(await runHelm(args))
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
}

async function runHelm(args: readonly string[]): Promise<string> {
  const helm = await provideTool(HELM);
  try {
    const { stdout } = await promisify(execFile)(helm, args, {
      maxBuffer: 16 * 1024 * 1024,
      env: { ...process.env, ...HELM_ENVIRONMENT },
    });
    return stdout;
  } catch (error) {
    throw new HelmError(String((error as { stderr?: string }).stderr ?? error), { cause: error });
  }
}

interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
}

/** The containers of an object whose image is one of the project's, with the init containers. */
export function listAppContainers({ kind, spec }: KubernetesObject): Container[] {
  const pod = kind === 'Pod' ? spec : (spec as { template?: { spec?: unknown } } | undefined)?.template?.spec;
  const { containers = [], initContainers = [] } = (pod ?? {}) as Partial<PodSpec>;
  return [...initContainers, ...containers].filter(({ image }) => image.includes('settlement-bus-bridge/'));
}
