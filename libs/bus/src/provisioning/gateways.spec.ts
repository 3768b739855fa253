import { GatewayClient } from '../client/gateway-client.js';
import { buildEventSchema } from '@ssb/events';
import { startPublicGateway, type PublicGateway } from '@ssb/testing';
import { findGatewayTasks } from './domain/bus-tasks.js';
import { readGateway } from './gateways.js';

const FQCN = 'prudential.channels.bridge.apps.participant.iam.market';
const TYPE = 'settlementbus.margin.breached.v1';

let gateway: PublicGateway;
let client: GatewayClient;
beforeEach(async () => {
  gateway = await startPublicGateway();
  client = new GatewayClient({
    baseUrl: gateway.url,
    username: 'bridge',
    password: () => 'password',
    timeoutMs: 5_000,
  });
});
afterEach(async () => {
  await client.close();
  await gateway.stop();
});

const topic = { namespace: 'margin.breached.v1', schema: JSON.stringify(buildEventSchema(TYPE)) };
const findTasks = async () =>
  findGatewayTasks(await readGateway(client), {
    side: 'publisher',
    userRole: 'user',
    channels: [{ fqcn: FQCN, topics: [topic], publishers: [gateway.did], subscribers: [] }],
  });

it('finds nothing to do at a public gateway, whose broker stores schemas without $schema and $id', async () => {
  gateway.addChannel(FQCN, [{ namespace: topic.namespace, schema: buildEventSchema(TYPE) }]);
  expect(gateway.channels[0]?.topics[0]?.schema).not.toHaveProperty('$id');
  expect(await findTasks()).toEqual([]);
});

it('finds a topic with the schema of another type', async () => {
  const schema = buildEventSchema('settlementbus.margin.warning.v1');
  gateway.addChannel(FQCN, [{ namespace: topic.namespace, schema }]);
  expect((await findTasks()).map(({ what }) => what)).toEqual(['set-topics']);
});
