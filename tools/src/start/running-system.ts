import {
  acceptsConnections,
  ensurePrivateFolder,
  FolderInUseError,
  lockFolder,
  lockSocketOf,
  type Unlock,
} from '@ssb/platform';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayUrl } from '../system/environments.js';
import { REPOSITORY_ROOT } from '../system/processes.js';
import type { System } from '../system/system.js';

/** In the data folder; `busbridge` reads it (apps/cli/src/system/running-system.ts). */
export const SYSTEM_FILE = 'busbridge.json';

const SYSTEMS_FOLDER = join(REPOSITORY_ROOT, '.data', 'systems');

/** Names the data folder of the system with this process id. `busbridge` of this clone finds it there. */
export const systemEntry = (pid: number): string => join(SYSTEMS_FOLDER, String(pid));

/** The folder that a system with this data folder locks while it runs. */
const systemLock = (data: string): string => join(data, 'start');

/** Two runs on the same data would share one Redis, and the first run that ends would stop it. @throws FolderInUseError */
export async function lockData(data: string): Promise<Unlock> {
  ensurePrivateFolder(data);
  // With another temporary folder, the other run has another socket.
  if (await isRunning(data)) throw new FolderInUseError(data);
  try {
    return await lockFolder(systemLock(data));
  } catch (error) {
    throw error instanceof FolderInUseError ? new FolderInUseError(data) : error;
  }
}

/** Removes the entries of systems that were killed. */
export async function removeStaleEntries(): Promise<void> {
  const names = existsSync(SYSTEMS_FOLDER) ? readdirSync(SYSTEMS_FOLDER) : [];
  for (const name of names) {
    const entry = join(SYSTEMS_FOLDER, name);
    try {
      const data = readIfThere(entry);
      if (data !== undefined && !(await isRunning(data.trim()))) rmSync(entry, { force: true });
    } catch (error) {
      // Only the system of another user may be unreadable.
      if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    }
  }
}

/** Whether the system of the data folder's SYSTEM_FILE still listens on its socket. */
async function isRunning(data: string): Promise<boolean> {
  const socket = readSocket(readIfThere(join(data, SYSTEM_FILE)) ?? '{}');
  return typeof socket === 'string' && (await acceptsConnections(socket));
}

/** Undefined for a damaged file. */
function readSocket(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly lockSocket?: unknown } | null)?.lockSocket;
  } catch {
    return undefined;
  }
}

/** A system that ends removes its files at any time. */
function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * What `busbridge` needs to reach a system on this machine: the variables of its settings, in groups that belong together.
 * Without ARCHIVE_RETENTION_DAYS, which `busbridge migrate` would apply to another database.
 */
export function describeRunningSystem({ plan, configVariables }: System): object {
  const { ports, redis, secrets, folder, webhook } = plan;
  const local = (port: number): string => `http://127.0.0.1:${port}`;
  return {
    lockSocket: lockSocketOf(systemLock(folder)),
    groups: {
      api: { BUSBRIDGE_URL: local(ports.api), BUSBRIDGE_TOKEN_FILE: secrets.apiAccess.tokenFile },
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
