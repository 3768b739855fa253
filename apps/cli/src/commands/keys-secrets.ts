import { join } from 'node:path';
import {
  buildSecrets,
  createDeploymentFiles,
  ensureSandboxCertificates,
  renderSecrets,
  SANDBOX_TLS_FOLDER,
} from '@ssb/keys/deployment';
import type { KeyFolder } from '@ssb/keys';
import { standardError, standardOutput, writeFileAtomically } from '@ssb/platform';
import { Command, InvalidArgumentError } from 'commander';
import { fail } from '../fail.js';
import { onFolder } from '../keys/key-folder.js';
import { listKeys, renderChartValues, renderValues } from '../keys/keys-output.js';

interface SecretsOptions {
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

const EXAMPLES = `
Creates missing files, like "keys create". Existing files stay unchanged. Sandbox certificates are renewed 30 days before they
expire. The same folder gives the same output. The values for the chart are printed on the standard error, or written to a file for Helm.

Examples:
  busbridge keys secrets --dir keys --name bridge --namespace energy --broker --out secrets.yaml
  busbridge keys secrets --dir keys --name bridge --broker --sandbox --bundled --values dids.yaml | kubectl apply -f -
`;

/** `busbridge keys secrets`. */
export function keysSecretsCommand(): Command {
  return new Command('secrets')
    .description('prints the Secrets that the Helm chart references, for kubectl apply')
    .requiredOption('--dir <folder>', 'the folder of the keys')
    .requiredOption('--name <name>', "full name of the release, the prefix of each Secret's name", parseName)
    .option('--namespace <namespace>', 'namespace of the release', parseName)
    .option('--broker', 'include the Secrets of the broker', false)
    .option('--sandbox', 'include the Secrets of the token service and the reporting API', false)
    .option('--bundled', 'include the Secrets of Redis, PostgreSQL and NATS of the chart', false)
    .option('--participant <code>', 'participant of the sandbox', 'WPGENCO')
    .option('--out <file>', 'write the Secrets to this file, with the mode 0600')
    .option('--values <file>', 'write the DIDs to this file, for `helm install --values`')
    .addHelpText('after', EXAMPLES)
    .action(onFolder(outputSecrets, true));
}

async function outputSecrets(folder: KeyFolder, options: SecretsOptions): Promise<void> {
  if (options.out === undefined && standardOutput.isTerminal)
    return fail('Secrets are not printed on a terminal: give --out <file>, or pipe the output into kubectl.');
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
    values = options.values === undefined ? `${renderValues(keys)}\n` : renderChartValues(keys);
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

/** RFC 1123 label, with room for the longest name of a Secret. */
function parseName(text: string): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(text))
    throw new InvalidArgumentError(
      'Up to 40 lower-case letters, digits and dashes; it begins and ends with a letter or digit.',
    );
  return text;
}
