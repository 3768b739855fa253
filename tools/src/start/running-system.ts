import {
  acceptsConnections,
  ensurePrivateFolder,
  FolderInUseError,
  lockFolder,
  lockSocketOf,
  readIfThere,
  readSystemFile,
  SYSTEM_FILE,
  writeFileAtomically,
  type SystemDescription,
  type Unlock,
} from '@ssb/platform';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayUrl } from '../system/environments.js';
import { REPOSITORY_ROOT } from '../system/processes.js';
import type { System } from '../system/system.js';

const SYSTEMS_FOLDER = join(REPOSITORY_ROOT, '.data', 'systems');

/** Names the data folder of the system with this process id. `busbridge` of this clone finds it there. */
export const systemEntry = (pid: number): string => join(SYSTEMS_FOLDER, String(pid));

/** The folder that a system with this data folder locks while it runs. */
const systemLock = (data: string): string => join(data, 'start');

/**
 * Two runs on the same data would share one Redis, and the first run that ends would stop it.
 * @returns a function that also removes SYSTEM_FILE
 * @throws FolderInUseError
 */
export async function lockData(data: string): Promise<Unlock> {
  ensurePrivateFolder(data);
  // With another temporary folder, the other run has another socket.
  const socket = readSystemFile(data)?.lockSocket;
  if (socket !== undefined && (await acceptsConnections(socket))) throw new FolderInUseError(data);
  let unlock: Unlock;
  try {
    unlock = await lockFolder(systemLock(data));
  } catch (error) {
    throw error instanceof FolderInUseError ? new FolderInUseError(data) : error;
  }
  await writeDescription(data, { lockSocket: lockSocketOf(systemLock(data)) });
  return async () => {
    rmSync(join(data, SYSTEM_FILE), { force: true });
    await unlock();
  };
}

/** Tells `busbridge` how to reach a system that has started. */
export const publishSystem = (system: System): Promise<void> =>
  writeDescription(system.plan.folder, describeRunningSystem(system));

const writeDescription = (data: string, description: SystemDescription): Promise<void> =>
  writeFileAtomically(join(data, SYSTEM_FILE), JSON.stringify(description));

/** Removes the entries of systems that were killed. */
export async function removeStaleEntries(folder = SYSTEMS_FOLDER): Promise<void> {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const entry = join(folder, name);
    const data = readIfThere(entry)?.trim();
    if (data !== undefined && (await hasEnded(data))) rmSync(entry, { force: true });
  }
}

/** Whether the data folder is gone, or nobody listens on its socket. A file that cannot be read says nothing. */
async function hasEnded(data: string): Promise<boolean> {
  if (isGone(data)) return true;
  const socket = readSystemFile(data)?.lockSocket;
  return socket !== undefined && !(await acceptsConnections(socket));
}

/** Not a folder that only another user may see. */
function isGone(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/**
 * What `busbridge` needs to reach a system on this machine: the variables of its settings, in groups that belong together.
 * Without ARCHIVE_RETENTION_DAYS, which `busbridge migrate` would apply to another database.
 */
function describeRunningSystem({ plan, configVariables }: System): SystemDescription {
  const { ports, redis, secrets, folder, webhook } = plan;
  const local = (port: number): string => `http://127.0.0.1:${port}`;
  return {
    lockSocket: lockSocketOf(systemLock(folder)),
    groups: {
      api: { BUSBRIDGE_URL: local(ports.api), BUSBRIDGE_TOKEN_FILE: secrets.apiAccess.tokenFile },
      console: { SIGN_IN_LINK_FILE: secrets.signInLinkFile },
      access: { API_ACCESS_FILE: secrets.apiAccess.file },
      queue: {
        ...redis,
        INTEGRITY_KEYS_FILE: secrets.integrityKeysFile,
        SUBSCRIBER_URL: local(ports.subscriber),
      },
      bus: {
        GATEWAY_PUBLISHER_URL: gatewayUrl(ports, 'publisher'),
        GATEWAY_SUBSCRIBER_URL: gatewayUrl(ports, 'subscriber'),
        GATEWAY_PUBLISHER_ADMIN_PASSWORD_FILE: secrets.gateways.publisher.adminPasswordFile,
        GATEWAY_SUBSCRIBER_ADMIN_PASSWORD_FILE: secrets.gateways.subscriber.adminPasswordFile,
        BROKER_URL: local(ports.broker),
        ISSUER_KEY_FILE: join(folder, 'issuer', 'issuer.key'),
        ISSUER_KEY_SECRET_FILE: secrets.encryptionSecretFile,
      },
      configuration: { ...configVariables, WEBHOOK_URL: webhook.url, WEBHOOK_SECRET: webhook.secret },
    },
  };
}
