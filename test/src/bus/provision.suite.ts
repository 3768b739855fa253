import { join } from 'node:path';
import type { GatewayClient } from '@ssb/bus';
import { didOfKey, generatePrivateKey } from '@ssb/identity';
import { readSecretFile, writeEncryptedFile } from '@ssb/platform';
import { runToEnd, type EndedProcess } from '@ssb/testing';
import { GATEWAY_USER, REPOSITORY_ROOT } from '@ssb/tools';
import { bus } from './shared-bus.js';

const CHANNELS = ['settlement', 'prudential', 'operations'].map(
  (name) => `${name}.channels.bridge.apps.participant.iam.market`,
);
const OTHERS = { namespace: 'others.v1', schema: '{"type":"object"}' };

let settings: Record<string, string>;

beforeAll(() => {
  settings = {
    CONFIG_FILE: join(REPOSITORY_ROOT, 'config', 'bridge.yaml'),
    GATEWAY_PUBLISHER_URL: bus.gateway('publisher').url,
    GATEWAY_SUBSCRIBER_URL: bus.gateway('subscriber').url,
    GATEWAY_ADMIN_USERNAME: GATEWAY_USER,
    GATEWAY_PUBLISHER_ADMIN_PASSWORD_FILE: bus.secrets.ensureFile('publisher.password'),
    GATEWAY_SUBSCRIBER_ADMIN_PASSWORD_FILE: bus.secrets.ensureFile('subscriber.password'),
  };
});

const provision = (args: readonly string[], more: Record<string, string> = {}): Promise<EndedProcess> =>
  runToEnd(join(REPOSITORY_ROOT, 'bundles', 'cli.js'), ['provision', '--json', ...args], {
    ...settings,
    ...more,
  });

/** The settings of our own broker. */
async function ownBroker(): Promise<Record<string, string>> {
  const secretFile = bus.secrets.ensureFile('encryption.secret');
  const keyFile = join(bus.folder, 'issuer.key');
  await writeEncryptedFile(keyFile, Buffer.from(bus.issuerKey.toHex()), await readSecretFile(secretFile));
  return {
    BROKER_URL: bus.brokerUrls[0] ?? '',
    ISSUER_KEY_FILE: keyFile,
    ISSUER_KEY_SECRET_FILE: secretFile,
  };
}

interface Printed {
  readonly gateways: Readonly<Record<'publisher' | 'subscriber', string | undefined>>;
  readonly tasks?: readonly { readonly what: string; readonly subject: string }[];
  readonly channels?: readonly { readonly channel: string; readonly outcome: string }[];
}

const parse = ({ stdout }: EndedProcess): Printed => JSON.parse(stdout) as Printed;
const whatIsLeft = (ended: EndedProcess): string[] => (parse(ended).tasks ?? []).map(({ what }) => what);

async function withClient<T>(name: string, work: (client: GatewayClient) => Promise<T>): Promise<T> {
  const client = bus.createClient(name, 1);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

it('checks an external bus until nothing is left, and changes only what --enrol permits', async () => {
  const setIdentity = (client: GatewayClient) => client.setIdentity(generatePrivateKey().toHex());
  const creations = CHANNELS.map(() => 'create-channel');
  await withClient('publisher', setIdentity);
  const first = await provision([]);
  expect(whatIsLeft(first)).toEqual(['enrol', ...creations, 'set-identity']);
  expect([first.status, first.stderr]).toEqual([1, '5 tasks are left. Repeat the command after that.\n']);
  const { state } = await withClient('publisher', (client) => client.enrolment());
  expect(state.roles.user).toBe('NO_CLAIM');
  await withClient('subscriber', setIdentity);
  const enrolled = await provision(['--enrol', '--report']);
  expect([enrolled.status, enrolled.stderr]).toEqual([
    0,
    '5 tasks are left. Repeat the command after that.\n',
  ]);
  expect(whatIsLeft(enrolled)).toEqual(['approve-role', ...creations, 'approve-role']);

  // The administrator of the bus does what was printed, for one channel only in part.
  const { gateways } = parse(enrolled);
  const [publisher = '', subscriber = ''] = [gateways.publisher, gateways.subscriber];
  await bus.admin.approve(publisher);
  await bus.admin.approve(subscriber);
  await bus.admin.ensureChannel({
    fqcn: CHANNELS[0] ?? '',
    topics: [OTHERS],
    publishers: [publisher],
    subscribers: [publisher],
  });
  const left = parse(await provision([])).tasks;
  expect(left?.map(({ what, subject }) => [what, subject])).toEqual([
    ['set-topics', CHANNELS[0]],
    ['create-channel', CHANNELS[1]],
    ['create-channel', CHANNELS[2]],
    ['create-channel', CHANNELS[0]],
  ]);
});

it('provisions our own broker, keeps what others added, and changes nothing the second time', async () => {
  const own = await ownBroker();
  const first = await provision([], own);
  expect([first.status, first.stderr]).toEqual([0, '']);
  const outcomes = (ended: EndedProcess): Record<string, string> =>
    Object.fromEntries((parse(ended).channels ?? []).map(({ channel, outcome }) => [channel, outcome]));
  const [settlement = '', prudential = '', operations = ''] = CHANNELS;
  expect(outcomes(first)).toEqual({
    [settlement]: 'updated',
    [prudential]: 'created',
    [operations]: 'created',
  });
  const [second, checked] = await Promise.all([provision([], own), provision(['--check'], own)]);
  expect([checked.status, whatIsLeft(checked)]).toEqual([0, []]);
  expect(new Set(Object.values(outcomes(second)))).toEqual(new Set(['unchanged']));

  const { gateways } = parse(first);
  const channels = await withClient('subscriber', (client) => client.channels());
  const channel = channels.find(({ fqcn }) => fqcn === settlement);
  expect(channel?.topics).toContainEqual(OTHERS);
  expect(channel?.topics?.map(({ namespace }) => namespace)).toContain('statement.published.v1');
  expect(channel?.subscribers).toEqual([gateways.publisher, gateways.subscriber]);
});

it('waits for a gateway that does not respond, and refuses settings that are only in part those of our own broker', async () => {
  const [waiting, refused] = await Promise.all([
    provision(['--timeout', '6s'], { GATEWAY_PUBLISHER_URL: 'http://127.0.0.1:1' }),
    provision([], { BROKER_URL: 'http://127.0.0.1:1' }),
  ]);
  expect(waiting.stderr).toMatch(
    /^waiting for the gateway of the publisher: no response .+\nThe bus is not provisioned: .+\.\n$/,
  );
  expect(waiting.status).toBe(69);
  expect([refused.status, refused.stderr]).toEqual([
    78,
    expect.stringContaining('set all of them, or none to check an external bus.'),
  ]);
});

describe('provision reader', () => {
  const admit = (args: readonly string[], more: Record<string, string>): Promise<EndedProcess> =>
    runToEnd(join(REPOSITORY_ROOT, 'bundles', 'cli.js'), ['provision', 'reader', ...args], more);
  const [settlement = '', prudential = ''] = CHANNELS;

  it('admits a gateway of others, which then reads the channels, and changes nothing the second time', async () => {
    const own = await ownBroker();
    const did = await withClient('plain', async (client) => {
      const key = generatePrivateKey();
      await client.setIdentity(key.toHex());
      return didOfKey(key);
    });
    const args = [did, ...[settlement, prudential].flatMap((fqcn) => ['--channel', fqcn]), '--json'];
    const admission = async (more: readonly string[] = []) => {
      const { status, stdout } = await admit([...args, ...more], own);
      const { role, channels, settings } = JSON.parse(stdout) as {
        role: { outcome: string };
        channels: { outcome: string }[];
        settings: unknown;
      };
      return { status, settings, outcomes: [role, ...channels].map(({ outcome }) => outcome) };
    };
    const checked = await admission(['--check']);
    expect([checked.status, checked.outcomes]).toEqual([1, ['missing', 'missing', 'missing']]);
    const first = await admission();
    expect([first.status, first.outcomes]).toEqual([0, ['changed', 'changed', 'changed']]);
    expect(first.settings).toMatchObject({ BROKER_URL: own['BROKER_URL'], DID_METHOD: 'ethr' });
    const readable = await withClient('plain', async (client) => {
      await client.enrol();
      expect((await client.enrolment()).state.roles.user).toBe('APPROVED');
      return (await client.channels()).map(({ fqcn }) => fqcn);
    });
    expect(readable).toEqual(expect.arrayContaining([settlement, prudential]));
    const second = await admission();
    expect([second.status, second.outcomes]).toEqual([0, ['unchanged', 'unchanged', 'unchanged']]);
    const { stdout } = await admit(args.slice(0, -1), own);
    expect(stdout).toContain(`\nEnrolment, once: POST /api/v1/config/enrol at the gateway`);
    expect(stdout).toContain(`\n  BROKER_URL=${own['BROKER_URL']}\n`);
  });

  it('changes nothing when a channel is unknown, and says what to request at an external bus', async () => {
    const own = await ownBroker();
    const did = didOfKey(generatePrivateKey());
    const unknown = 'unknown.channels.bridge.apps.participant.iam.market';
    const [refused, external, another] = await Promise.all([
      admit([did, '--channel', settlement, '--channel', unknown], own),
      admit([did, '--channel', settlement], {}),
      admit([did.replace('ethr', 'other'), '--channel', settlement], own),
    ]);
    expect([refused.status, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/^The broker has no channel unknown\.\S+, so nothing was changed\. Give/);
    expect(await bus.admin.findRoleState(did)).toBe('NO_CLAIM');
    expect(external.stderr).toMatch(/At an external bus, request from its administrator: the role user\./);
    expect(another.stderr).toBe('The bus has DIDs of the method ethr. Give did:ethr:0x….\n');
  });
});
