import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from './system/processes.js';

/** `npm run archive` runs the subscriber's archive command on `DATABASE_URL` or on the database of a running `npm start`. */
const urlFile = join(REPOSITORY_ROOT, '.data', 'subscriber-database.url');
const url =
  process.env['DATABASE_URL'] ?? (existsSync(urlFile) ? readFileSync(urlFile, 'utf8').trim() : undefined);
const program = join(REPOSITORY_ROOT, 'apps/subscriber/dist/src/archive-command.js');
const child = spawn(process.execPath, [program, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, ...(url !== undefined && { DATABASE_URL: url }) },
});
const [status] = (await once(child, 'close')) as [number | null];
process.exitCode = status ?? 1;
