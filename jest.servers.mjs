import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { isAlive, stopServerOn } from '@ssb/postgres-server';
import { bundleApps, bundlesAreCurrent } from './tools/dist/build/bundle-apps.js';

/**
 * Makes the bundles that tests start, unless they are current, and the folder of the servers that the test files of a worker share;
 * `libs/testing` starts them when they are first needed.
 */
export default async function prepare() {
  if (!bundlesAreCurrent()) await bundleApps();
  const root = join(tmpdir(), `settlement-bus-bridge-tests-${userInfo().uid}`);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(root)) {
    // Left by a run that was killed.
    if (!isAlive(Number.parseInt(name, 10))) await stopServers(join(root, name));
  }
  process.env.TEST_SERVERS_FOLDER = mkdtempSync(join(root, `${process.pid}-`));
}

/** Stops every server in the folder and removes it. */
export async function stopServers(folder) {
  await Promise.all(readdirSync(folder).map((name) => stopServerOn(join(folder, name))));
  rmSync(folder, { recursive: true, force: true });
}
