import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authority, createAuthority } from '@ssb/dev/certificates';
import { createPkcs12, waitFor } from '@ssb/testing/in-process';
import { describeStartFailure } from '../lifecycle/start-failure.js';
import { createLogger } from '../logging/logger.js';
import { Metrics } from '../observability/metrics.js';
import { clientTlsSettings, outgoingConnectionSettings } from '../settings/connection-settings.js';
import { readSettings } from '../settings/settings.js';
import { assertUsableTlsFiles } from './client-tls-files.js';
import { clientTlsFiles, OutgoingConnections } from './outgoing-connections.js';

const definition = { ...outgoingConnectionSettings, ...clientTlsSettings('GATEWAY', 'the gateway') };
const WEBHOOK = 'https://10.1.2.3/hooks/secret';
let folder: string;
let authority: Authority;
let lines: Record<string, unknown>[];
let opened: OutgoingConnections[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'connections-'));
  authority = await createAuthority({ name: 'Test authority', now: new Date() });
  await write('client', 30);
  await write('other', 30);
});
beforeEach(() => {
  lines = [];
  opened = [];
});
afterEach(() => Promise.all(opened.map((each) => each.onApplicationShutdown())));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string): string => join(folder, name);

/** Writes a client certificate that expires in so many days, in both forms. */
async function write(name: string, days: number, commonName = name): Promise<void> {
  const notAfter = new Date(Date.now() + days * 86_400_000);
  const issued = await authority.issue({ commonName, usage: 'client', notAfter });
  writeFileSync(file(`${name}.crt`), issued.cert);
  writeFileSync(file(`${name}.key`), issued.key);
  writeFileSync(file(`${name}.p12`), createPkcs12(issued, 'hunter2'));
  writeFileSync(file('password'), 'hunter2\n');
  writeFileSync(file('wrong-password'), 'hunter3\n');
}

function open(variables: Record<string, string>, webhookUrl = WEBHOOK) {
  const settings = readSettings(definition, variables);
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const log = createLogger({ name: 'spec', level: 'info', format: 'json', stream });
  const metrics = new Metrics();
  const connections = new OutgoingConnections({ app: 'spec', settings, metrics, log });
  opened.push(connections);
  return {
    settings,
    metrics,
    gateway: async () => connections.open('gateway', clientTlsFiles(settings, 'GATEWAY')),
    webhooks: () => connections.openWebhooks([{ name: 'sink treasury', url: webhookUrl }]),
  };
}

describe('a start ends with a sentence that names the setting', () => {
  it.each<[string, () => Record<string, string>, string]>([
    [
      'for a wrong password',
      () => ({ GATEWAY_PFX_FILE: file('client.p12'), GATEWAY_PFX_PASSWORD_FILE: file('wrong-password') }),
      'GATEWAY_PFX_FILE: {folder}/client.p12, {folder}/wrong-password cannot be used: the password does not open the PKCS#12 file.',
    ],
    [
      'for two forms',
      () => ({ GATEWAY_PFX_FILE: file('client.p12'), GATEWAY_CERT_FILE: file('client.crt') }),
      'GATEWAY_PFX_FILE is set together with GATEWAY_CERT_FILE, but one form of the client certificate is allowed: set GATEWAY_CERT_FILE and GATEWAY_KEY_FILE, or GATEWAY_PFX_FILE.',
    ],
    [
      'for a password without a file',
      () => ({ GATEWAY_PFX_PASSWORD_FILE: file('password') }),
      'GATEWAY_PFX_PASSWORD_FILE needs GATEWAY_PFX_FILE: set both, or neither.',
    ],
    [
      'for the key of another certificate',
      () => ({ GATEWAY_CERT_FILE: file('client.crt'), GATEWAY_KEY_FILE: file('other.key') }),
      'GATEWAY_CERT_FILE: {folder}/client.crt, {folder}/other.key cannot be used: the key is not the certificate’s.',
    ],
    [
      'for a file that does not exist',
      () => ({ GATEWAY_CA_FILE: file('none.pem') }),
      'GATEWAY_CA_FILE: {folder}/none.pem does not exist.',
    ],
  ])('%s', async (_, variables, sentence) => {
    const { gateway, settings } = open(variables());
    const error: unknown = await gateway().catch((thrown: unknown) => thrown);
    const [problem = ''] = describeStartFailure(error, settings)?.problems ?? [];
    const shown = problem.replaceAll(folder, '{folder}');
    expect(shown).toBe(sentence);
  });

  it.each([
    [
      'of another network',
      { WEBHOOK_ALLOWED_NETWORKS: '192.168.0.0/16, fd00::/8' },
      /^The address of sink treasury is not in WEBHOOK_ALLOWED_NETWORKS: /,
    ],
    [
      'behind the proxy',
      { WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8', HTTPS_PROXY: 'http://proxy.example:3128' },
      /^WEBHOOK_ALLOWED_NETWORKS cannot be checked for sink treasury, because HTTPS_PROXY /,
    ],
  ])('for a webhook %s', async (_, variables, sentence) => {
    await expect(open(variables).webhooks()).rejects.toThrow(sentence);
    await expect(open(variables).webhooks()).rejects.not.toThrow('secret');
  });

  it.each([
    [
      { HTTPS_PROXY: 'https://proxy.example' },
      /^HTTPS_PROXY is a value that is not shown here, but it takes an address such as/,
    ],
    [{ HTTPS_PROXY: 'http://bridge:50%off@proxy.example:3128' }, /^HTTPS_PROXY is a value that is not shown/],
    [{ HTTPS_PROXY: 'http://proxy.example:3128?team=1' }, /^HTTPS_PROXY is a value that is not shown/],
    [{ HTTPS_PROXY: 'http://token@proxy.example:3128' }, /^HTTPS_PROXY is a value that is not shown here/],
    [{ https_proxy: 'proxy.example:3128' }, /^HTTPS_PROXY is a value that is not shown here/],
    [{ NO_PROXY: 'example.org,192.168.*' }, /^NO_PROXY is "example.org,192.168.\*", but it takes hosts/],
    [
      { WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/33' },
      /^WEBHOOK_ALLOWED_NETWORKS is "10.0.0.0\/33", but it takes networks such as/,
    ],
  ])('for %j', (variables, sentence) => {
    expect(() => readSettings(definition, variables)).toThrow(sentence);
  });
});

it('files that would replace those in use are read, and an expired certificate replaces no valid one', async () => {
  const files = { cert: file('replacement.crt'), key: file('replacement.key') };
  const inUse = (days: number) => ({
    file: file('client.crt'),
    commonName: 'client',
    expiresAt: new Date(Date.now() + days * 86_400_000),
  });
  await expect(assertUsableTlsFiles(files, inUse(-2))).rejects.toMatchObject({ code: 'ENOENT' });
  await write('replacement', -1);
  for (const each of [inUse(30), undefined])
    await expect(assertUsableTlsFiles(files, each)).rejects.toThrow(
      /replacement\.crt cannot be used: .* expired at/,
    );
  await assertUsableTlsFiles(files, inUse(-2));
  await write('replacement', 30);
  await assertUsableTlsFiles(files, inUse(30));
});

it('the variables in lower case are read when the others are not set', () => {
  const lower = { https_proxy: 'http://lower.example:3128', no_proxy: 'a.example' };
  const { HTTPS_PROXY, NO_PROXY } = readSettings(definition, { ...lower, NO_PROXY: 'b.example' });
  expect(HTTPS_PROXY).toBe(lower.https_proxy);
  expect(['a', 'b'].map((name) => NO_PROXY?.includes(new URL(`https://${name}.example`)))).toEqual([
    false,
    true,
  ]);
});

it('a webhook in an allowed network, or excepted from the proxy, is accepted', async () => {
  const networks = { WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8' };
  const proxied = { ...networks, HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: '10.0.0.0/8' };
  for (const variables of [networks, proxied])
    expect((await open(variables).webhooks()).allowedNetworks?.includes('10.1.2.3')).toBe(true);
});

it.each(['gateway', 'webhook'] as const)(
  'an expired certificate of the %s does not end the start; it is in log and metrics until a valid one is loaded',
  async (name) => {
    const prefix = name.toUpperCase();
    await write('late', -2);
    const { gateway, webhooks, metrics } = open({
      [`${prefix}_CERT_FILE`]: file('late.crt'),
      [`${prefix}_KEY_FILE`]: file('late.key'),
      TLS_RELOAD_INTERVAL_MS: '20',
    });
    const daysLeft = async (): Promise<number> => {
      const text = await metrics.registry.metrics();
      return Number(
        text.match(
          new RegExp(`^settlement_bridge_spec_certificate_days_left{interface="${name}"} (.*)$`, 'm'),
        )?.[1],
      );
    };
    await (name === 'gateway' ? gateway() : webhooks());
    expect(lines.filter(({ msg }) => msg === 'client certificate expired')).toEqual([
      expect.objectContaining({ interface: name, path: file('late.crt') }),
    ]);
    expect(await daysLeft()).toBeCloseTo(-2, 1);
    await write('late', 30);
    await waitFor('the valid one', async () => (await daysLeft()) > 29);
  },
);

it('a renewed certificate is used without a restart, with its days left in the metrics; an expired one is refused', async () => {
  await write('renewed', 10);
  const { gateway, metrics } = open({
    GATEWAY_PFX_FILE: file('renewed.p12'),
    GATEWAY_PFX_PASSWORD_FILE: file('password'),
    TLS_RELOAD_INTERVAL_MS: '20',
  });
  const connection = await gateway();
  const first = connection.tls;
  await write('renewed', 90, 'second');
  await waitFor('the renewal', () => connection.files.certificate?.commonName === 'second');
  expect(connection.tls).not.toBe(first);
  const daysLeft = /settlement_bridge_spec_certificate_days_left\{interface="gateway"\} 89\.9/;
  await waitFor('the metric', async () => daysLeft.test(await metrics.registry.metrics()));
  await write('renewed', -0.1, 'third');
  await waitFor('the refusal', () => lines.some(({ msg }) => msg === 'client certificate reload failed'));
  expect(connection.files.certificate?.commonName).toBe('second');
});
