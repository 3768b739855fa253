import { goTool } from './go-tool.js';

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
