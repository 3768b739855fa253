import { join } from 'node:path';
import { MANIFEST_EXAMPLES } from '../chart/chart-files.js';
import { RENDERING_TOOLS } from '../chart/rendered-chart.js';
import { CheckFailure, runAll, runOrFail } from '../check-failure.js';
import type { DeployCheck } from '../deploy-check.js';
import { CRD_SCHEMAS, KUBECONFORM, KUBERNETES_SCHEMAS, POD_SECURITY } from '../tools/tools.js';

export const KUBECONFORM_STRICT: DeployCheck = {
  name: 'kubeconform',
  description: 'manifests against the schemas of Kubernetes and of custom resources, strict',
  tools: [...RENDERING_TOOLS, KUBECONFORM, CRD_SCHEMAS],
  run: async ({ chart, findTool }) => {
    const renderings = await chart.list();
    const program = await findTool(KUBECONFORM);
    const schemas = await findTool(KUBERNETES_SCHEMAS);
    const definitions = join(await findTool(CRD_SCHEMAS), 'schemas');
    // One process for each version, because reading the schemas takes most of the time.
    const versions = [...new Set(renderings.map(({ kubernetesVersion }) => kubernetesVersion))];
    await runAll(versions, async (version) =>
      runOrFail(program, [
        '-strict',
        '-summary',
        '-kubernetes-version',
        version,
        '-schema-location',
        join(schemas, version, '{{.ResourceKind}}{{.KindSuffix}}.json'),
        '-schema-location',
        join(definitions, '{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}.json'),
        MANIFEST_EXAMPLES,
        ...renderings
          .filter(({ kubernetesVersion }) => kubernetesVersion === version)
          .map(({ path }) => path),
      ]),
    );
    return `${renderings.length} renderings and the examples, Kubernetes ${versions.join(' and ')}`;
  },
};

export const RESTRICTED_PODS: DeployCheck = {
  name: 'pod-security',
  description: 'every pod against the restricted Pod Security Standard, with the library of Kubernetes',
  tools: [...RENDERING_TOOLS, POD_SECURITY],
  run: async ({ chart, findTool }) => {
    const program = await findTool(POD_SECURITY);
    let pods = 0;
    await runAll(await chart.list(), async ({ path, values }) => {
      try {
        pods += Number.parseInt(await runOrFail(program, [path]), 10);
      } catch (error) {
        if (!(error instanceof CheckFailure)) throw error;
        throw new CheckFailure(`${values.name}:\n${error.message}`, { cause: error });
      }
    });
    return `${pods} pods`;
  },
};
