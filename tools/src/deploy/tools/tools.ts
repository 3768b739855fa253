import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { runOrFail } from '../deploy-check.js';
import { goTool } from './go-tool.js';
import type { Tool } from './tool-cache.js';

export { CRD_SCHEMAS } from './crd-schemas.js';
export { HADOLINT, KUBERNETES_SCHEMAS, NEWER_NODES } from './wheels.js';

/** Templates that read the version of Kubernetes get this one, unless the command names another. */
const KUBERNETES_MINOR = '37';

const helmVersions = {
  'helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor': '1',
  'helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor': KUBERNETES_MINOR,
  'helm.sh/helm/v3/pkg/lint/rules.k8sVersionMajor': '1',
  'helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor': KUBERNETES_MINOR,
};

export const HELM = goTool({
  name: 'helm',
  module: 'helm.sh/helm/v3',
  package: 'helm.sh/helm/v3/cmd/helm',
  variables: helmVersions,
});

export const HELM_UNITTEST = goTool({
  name: 'helm-unittest',
  module: 'github.com/helm-unittest/helm-unittest',
  package: 'github.com/helm-unittest/helm-unittest/cmd/helm-unittest',
  variables: helmVersions,
});

export const KUBECONFORM = goTool({
  name: 'kubeconform',
  module: 'github.com/yannh/kubeconform',
  package: 'github.com/yannh/kubeconform/cmd/kubeconform',
});

/** Loads a Compose file as Compose does. */
export const COMPOSE_CHECK = goTool({
  name: 'compose-check',
  module: 'github.com/compose-spec/compose-go/v2',
});

/** Evaluates rendered pods against the restricted Pod Security Standard. */
export const POD_SECURITY = goTool({ name: 'pod-security', module: 'k8s.io/pod-security-admission' });

/** Lints OpenAPI documents. Its many packages are not in the lock file of the repository, because only this check needs them. */
export const SPECTRAL = npmTool('spectral', 'node_modules/.bin/spectral');

/** A package of npm that `tools/npm/<name>` pins. No script of a package runs. */
function npmTool(name: string, path: string): Tool {
  const folder = join(REPOSITORY_ROOT, 'tools/npm', name);
  const lock = readFileSync(join(folder, 'package-lock.json'));
  return {
    name,
    version: createHash('sha256').update(lock).digest('hex').slice(0, 8),
    path,
    build: async (target) => {
      for (const file of ['package.json', 'package-lock.json'])
        copyFileSync(join(folder, file), join(target, file));
      const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
      await runOrFail('npm', args, { cwd: target, timeoutMs: 300_000 });
    },
  };
}
