import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './system/app-process.js';

/** `npm run archive`: the subscriber's own command, on the database of `DATABASE_URL` or of a running `npm start`. */
const note = join(REPOSITORY, '.data', 'subscriber-database.url');
const url = process.env['DATABASE_URL'] ?? (existsSync(note) ? readFileSync(note, 'utf8').trim() : undefined);
const program = join(REPOSITORY, 'apps/subscriber/dist/src/archive.js');
const child = spawn(process.execPath, [program, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, ...(url !== undefined && { DATABASE_URL: url }) },
});
const [status] = (await once(child, 'close')) as [number | null];
process.exitCode = status ?? 1;
