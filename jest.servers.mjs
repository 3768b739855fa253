import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { freemem, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { isAlive, stopServerOn } from '@ssb/dev/postgres-server';
import { bundleApps, bundlesAreCurrent } from './tools/dist/build/bundle-apps.js';

/** A file system in memory. Others create the 300 files of each test database slowly when many were deleted shortly before. */
const MEMORY = '/dev/shm';
const MIN_FREE_BYTES = 4 * 1024 ** 3;
/** Some tests run programs as another user, who needs to enter the folder. */
const ENTER_ONLY = 0o711;

/** Six times the default. Each worker optimises its own copy of the code, which pays off only for what runs often. */
const OPTIMISE_LATER = '--interrupt-budget=400000';

/**
 * Builds outdated bundles and creates a folder for temporary files, and in it the one for the servers that test files share.
 * `libs/testing` starts a server when a test first needs it.
 */
export default async function setUp() {
  setFlagsFromString(OPTIMISE_LATER);
  if (!bundlesAreCurrent()) await bundleApps();
  const inMemory = canUseMemory();
  // A short path, because the path of a socket has at most 107 bytes.
  const root = join(inMemory ? MEMORY : tmpdir(), `bridge-tests-${userInfo().uid}`);
  mkdirSync(root, { recursive: true });
  chmodSync(root, ENTER_ONLY);
  for (const name of readdirSync(root)) {
    // A killed run left its servers behind.
    if (!isAlive(Number.parseInt(name, 10))) await removeRun(join(root, name));
  }
  const folder = mkdtempSync(join(root, `${process.pid}-`));
  chmodSync(folder, ENTER_ONLY);
  if (inMemory) process.env.TMPDIR = folder;
  process.env.TEST_SERVERS_FOLDER = join(folder, SERVERS);
  mkdirSync(process.env.TEST_SERVERS_FOLDER, { mode: 0o700 });
}

const SERVERS = 'servers';

/** Stops the servers of a run and removes its files. */
export async function removeRun(folder) {
  const servers = join(folder, SERVERS);
  if (existsSync(servers))
    await Promise.all(readdirSync(servers).map((name) => stopServerOn(join(servers, name))));
  rmSync(folder, { recursive: true, force: true });
}

/** Whether files in memory have enough space, and programs may run from there. */
function canUseMemory() {
  const program = join(MEMORY, `settlement-bus-bridge-${process.pid}`);
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (Math.min(bavail * bsize, freemem()) < MIN_FREE_BYTES) return false;
    writeFileSync(program, '', { mode: 0o700 });
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(program, { force: true });
  }
}
