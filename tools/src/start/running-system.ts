import { isFolderLocked } from '@ssb/platform';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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
export const systemLock = (data: string): string => join(data, 'start');

/** Removes the entries of systems that were killed. */
export async function removeStaleEntries(): Promise<void> {
  const names = existsSync(SYSTEMS_FOLDER) ? readdirSync(SYSTEMS_FOLDER) : [];
  for (const name of names) {
    const entry = join(SYSTEMS_FOLDER, name);
    const data = await readFile(entry, 'utf8').catch(() => undefined);
    if (data !== undefined && !(await isFolderLocked(systemLock(data.trim()))))
      rmSync(entry, { force: true });
  }
}

/** What `busbridge` needs to reach a system on this machine: the variables of its settings, in groups that belong together. */
export function describeRunningSystem({ plan, configVariables }: System): object {
  const { ports, redis, secrets, folder, webhook } = plan;
  const local = (port: number): string => `http://127.0.0.1:${port}`;
  return {
    lock: systemLock(folder),
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
