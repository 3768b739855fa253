import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ALERT_RECEIVERS,
  buildSecrets,
  composeFiles,
  createDeploymentFiles,
  ensureSandboxCertificates,
  readDids,
  SANDBOX_TLS_FOLDER,
  type ComposeFiles,
} from '@ssb/keys/deployment';
import { didOfKey, parsePrivateKey } from '@ssb/identity';
import type { KeyFolder } from '@ssb/keys';
import { ensurePrivateFolder, writeFileAtomically } from '@ssb/platform';
import { standardOutput } from '@ssb/platform/cli';
import { findFolder } from './key-folder.js';
import { listKeys, renderKeys } from './keys-output.js';

export interface ComposeOptions {
  readonly dir: string;
  readonly output: string;
  readonly participant: string;
}

/** docker-compose.yml has every part. */
const PARTS = { name: 'compose', broker: true, sandbox: true, bundled: true };

/** The services run as several users, and each has a volume of its own. */
const SHARED_FOLDER_MODE = 0o755;
const SHARED_FILE_MODE = 0o444;

export async function writeComposeFiles({ dir, output, participant }: ComposeOptions): Promise<void> {
  const folder = findFolder(dir, { mayBeMissing: true });
  const now = new Date();
  let files: ComposeFiles = {};
  await folder.create(now, async () => {
    await ensureSandboxCertificates(join(folder.path, SANDBOX_TLS_FOLDER), {
      participant,
      hosts: { token: ['token'], reporting: ['reporting'] },
      servers: ALERT_RECEIVERS,
      now,
    });
    const created = await createDeploymentFiles(folder.path, PARTS);
    // Under the lock of the folder, so that all of them are from the same rotation.
    files = await buildFiles(folder, participant);
    return created;
  });
  ensurePrivateFolder(output);
  for (const [service, contents] of Object.entries(files))
    await writeServiceFolder(join(output, service), contents);
  standardOutput.writeLine(renderKeys(await listKeys(folder), standardOutput.width));
}

async function buildFiles(folder: KeyFolder, participant: string): Promise<ComposeFiles> {
  const { PUBLISHER_GATEWAY_DID = '', ROLE_ISSUERS = '' } = await readDids(folder.path);
  const { keys: origins } = await folder.read('origin');
  const BRIDGE_ORIGIN_DID = origins.map(({ secret }) => didOfKey(parsePrivateKey(secret))).join(',');
  return composeFiles(await buildSecrets(folder.path, { ...PARTS, participant, servers: ALERT_RECEIVERS }), {
    name: PARTS.name,
    dids: { PUBLISHER_GATEWAY_DID, BRIDGE_ORIGIN_DID },
    roleIssuer: ROLE_ISSUERS,
  });
}

/** Writes the files of one service, and removes the files that it no longer gets. */
async function writeServiceFolder(path: string, contents: Readonly<Record<string, Buffer>>): Promise<void> {
  await mkdir(path, { recursive: true });
  // A file mode creation mask does not restrict these modes.
  await chmod(path, SHARED_FOLDER_MODE);
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isFile() && !Object.hasOwn(contents, entry.name)) await rm(join(path, entry.name));
  for (const [name, content] of Object.entries(contents)) {
    const file = join(path, name);
    await writeFileAtomically(file, content, SHARED_FILE_MODE);
    await chmod(file, SHARED_FILE_MODE);
  }
}
