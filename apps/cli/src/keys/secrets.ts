import { join } from 'node:path';
import {
  buildSecrets,
  createDeploymentFiles,
  ensureSandboxCertificates,
  renderSecrets,
  SANDBOX_TLS_FOLDER,
} from '@ssb/keys/deployment';
import { writeFileAtomically } from '@ssb/platform';
import { standardError, standardOutput } from '@ssb/platform/cli';
import { CommandError, EXIT } from '../exit.js';
import { findFolder } from './key-folder.js';
import { listKeys, renderChartValues, renderValues } from './keys-output.js';

export interface SecretsOptions {
  readonly dir: string;
  readonly name: string;
  readonly namespace?: string;
  readonly broker: boolean;
  readonly sandbox: boolean;
  readonly bundled: boolean;
  readonly participant: string;
  readonly out?: string;
  readonly values?: string;
}

export async function outputSecrets(options: SecretsOptions): Promise<void> {
  if (options.out === undefined && standardOutput.isTerminal)
    throw new CommandError(
      'Secrets are not printed on a terminal: give --out <file>, or pipe the output into kubectl.',
      EXIT.usage,
    );
  const folder = findFolder(options.dir, { mayBeMissing: true });
  const now = new Date();
  let text = '';
  let values = '';
  await folder.create(now, async () => {
    const { sandbox, participant } = options;
    if (sandbox)
      await ensureSandboxCertificates(join(folder.path, SANDBOX_TLS_FOLDER), {
        participant,
        hosts: { token: listHosts('token', options), reporting: listHosts('reporting', options) },
        now,
      });
    const created = await createDeploymentFiles(folder.path, options);
    // The folder is locked, so all Secrets come from one rotation.
    text = renderSecrets(await buildSecrets(folder.path, options), options);
    const keys = await listKeys(folder);
    values = options.values === undefined ? `${renderValues(keys).plain}\n` : renderChartValues(keys);
    return created;
  });
  if (options.out === undefined) standardOutput.writeExact(text);
  else await writeFileAtomically(options.out, text);
  if (options.values === undefined) standardError.write(values);
  else await writeFileAtomically(options.values, values);
}

/** Names of a service inside the cluster. */
function listHosts(component: string, { name, namespace }: SecretsOptions): string[] {
  const service = `${name}-${component}`;
  if (namespace === undefined) return [service];
  return [service, ...['', '.svc', '.svc.cluster.local'].map((suffix) => `${service}.${namespace}${suffix}`)];
}
