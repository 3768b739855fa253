import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { isAlive, stopServerOn } from '@ssb/postgres-server';
import { bundleApps, bundlesAreCurrent } from './tools/dist/build/bundle-apps.js';

/**
 * Builds outdated bundles and creates the folder for the servers that test files share. `libs/testing` starts a server when a test first
 * needs it.
 */
export default async function setUp() {
  if (!bundlesAreCurrent()) await bundleApps();
  const root = join(tmpdir(), `settlement-bus-bridge-tests-${userInfo().uid}`);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(root)) {
    // A killed run left its servers behind.
    if (!isAlive(Number.parseInt(name, 10))) await stopServers(join(root, name));
  }
  process.env.TEST_SERVERS_FOLDER = mkdtempSync(join(root, `${process.pid}-`));
}

/** Stops every server in the folder and removes it. */
export async function stopServers(folder) {
  await Promise.all(readdirSync(folder).map((name) => stopServerOn(join(folder, name))));
  rmSync(folder, { recursive: true, force: true });
}
