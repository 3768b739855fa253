import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '@ssb/dev/free-ports';
import { createAccessToken } from '@ssb/keys';
import { AppProcess, REPOSITORY_ROOT } from '@ssb/tools';
import { stringify } from 'yaml';

const DAY_MS = 86_400_000;

/** An api on a filled archive. */
export interface MeasuredApi {
  readonly process: AppProcess;
  readonly url: string;
  /** Sees all participants. */
  readonly token: string;
  /** Sees three. */
  readonly limitedToken: string;
}

/** What the caller without all participants sees. */
export const VISIBLE_PARTICIPANTS = ['WP001', 'WP017', 'WP033'];

/** The caller stops the process. @param folder for its files */
export async function startApi(
  folder: string,
  databaseUrl: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<MeasuredApi> {
  const now = new Date();
  const expiresAt = new Date(now.getTime() + DAY_MS);
  const all = createAccessToken({ name: 'all', role: 'operator', participants: 'all', expiresAt }, now);
  const limited = createAccessToken(
    { name: 'limited', role: 'operator', participants: VISIBLE_PARTICIPANTS, expiresAt },
    now,
  );
  const accessFile = join(folder, 'access.yaml');
  writeFileSync(accessFile, stringify({ tokens: [all.entry, limited.entry] }), { mode: 0o600 });
  const [port, managementPort] = await freePorts(2);
  const process = new AppProcess({
    name: 'api',
    app: 'api',
    logFolder: folder,
    environment: {
      PORT: String(port),
      MANAGEMENT_PORT: String(managementPort),
      DATABASE_URL: databaseUrl,
      API_ACCESS_FILE: accessFile,
      CONFIG_FILE: join(REPOSITORY_ROOT, 'config/bridge.yaml'),
      CALLER_REQUESTS_PER_SECOND: '10000',
      ...environment,
    },
  });
  await process.start();
  return { process, url: `http://127.0.0.1:${port}`, token: all.text, limitedToken: limited.text };
}
