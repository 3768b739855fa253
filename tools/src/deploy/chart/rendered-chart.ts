import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../check/run-command.js';
import { CheckFailure } from '../check-failure.js';
import { KUBERNETES_SCHEMAS, listKubernetesVersions } from '../tools/kubernetes-schemas.js';
import type { Tool } from '../tools/tool-cache.js';
import { HELM } from '../tools/tools.js';
import { CHART_FOLDER, listValuesFiles, readOldestMinor, type ValuesFile } from './chart-files.js';

/** The manifests that the chart renders from one file of values, for one version of Kubernetes. */
export interface Rendering {
  readonly values: ValuesFile;
  readonly kubernetesVersion: string;
  readonly path: string;
}

/** The tools that a check needs to use renderings. */
export const RENDERING_TOOLS: readonly Tool[] = [HELM, KUBERNETES_SCHEMAS];

/** Renders the chart once for all checks. */
export class RenderedChart {
  private renderings: Promise<readonly Rendering[]> | undefined;

  constructor(
    private readonly folder: string,
    private readonly findTool: (tool: Tool) => Promise<string>,
  ) {}

  /** Every file of values, for the oldest supported and the newest version of Kubernetes. */
  async list(): Promise<readonly Rendering[]> {
    this.renderings ??= this.renderAll();
    return this.renderings;
  }

  private async renderAll(): Promise<readonly Rendering[]> {
    const renderings: Rendering[] = [];
    const findings: string[] = [];
    for (const kubernetesVersion of await this.listVersions())
      for (const values of listValuesFiles()) {
        const path = join(this.folder, 'rendered', kubernetesVersion, `${values.name}.yaml`);
        const problem = await this.render(values, kubernetesVersion, path);
        if (problem === '') renderings.push({ values, kubernetesVersion, path });
        else findings.push(`${values.path}, Kubernetes ${kubernetesVersion}:\n${problem}`);
      }
    if (findings.length > 0) throw new CheckFailure(findings.join('\n'));
    if (renderings.length === 0) throw new CheckFailure(`${CHART_FOLDER}/examples has no file of values.`);
    return renderings;
  }

  private async listVersions(): Promise<string[]> {
    const versions = listKubernetesVersions(await this.findTool(KUBERNETES_SCHEMAS));
    const oldest = versions.find((version) => version.startsWith(`1.${readOldestMinor()}.`));
    const newest = versions.at(-1);
    if (oldest === undefined || newest === undefined) {
      throw new CheckFailure(
        `The oldest version that the chart supports, 1.${readOldestMinor()}, has no schemas. There are: ${versions.join(', ')}.`,
      );
    }
    return [...new Set([oldest, newest])];
  }

  /** @returns what helm printed beside the manifests, warnings included; empty when there was nothing to report */
  private async render(values: ValuesFile, version: string, path: string): Promise<string> {
    mkdirSync(join(path, '..'), { recursive: true });
    const file = openSync(path, 'w');
    try {
      const { ok, output } = await runCommand(
        await this.findTool(HELM),
        [
          ...['template', 'bridge', CHART_FOLDER, '--namespace', 'bridge'],
          ...['--values', values.path, '--kube-version', version],
        ],
        { stdout: file, environment: helmEnvironment(this.folder) },
      );
      return ok ? output : output || 'helm template failed without output.';
    } finally {
      closeSync(file);
    }
  }
}

/** Plugins and settings of the user are not used. */
export function helmEnvironment(folder: string): NodeJS.ProcessEnv {
  const home = join(folder, 'helm');
  return { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, KUBECONFIG: '/dev/null' };
}
