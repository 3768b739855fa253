import { stopServers } from './jest.servers.mjs';

export default async function tearDown() {
  await stopServers(process.env.TEST_SERVERS_FOLDER);
}
