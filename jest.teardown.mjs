import { stopServers } from './jest.servers.mjs';

export default async function stop() {
  await stopServers(process.env.TEST_SERVERS_FOLDER);
}
