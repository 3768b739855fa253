import { dirname } from 'node:path';
import { removeRun } from './jest.servers.mjs';

export default async function tearDown() {
  await removeRun(dirname(process.env.TEST_SERVERS_FOLDER));
}
