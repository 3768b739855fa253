import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadOperatorConfig, OperatorConfigError } from './load.js';

const shipped = new URL('../../../config/bridge.yaml', import.meta.url).pathname;
const environment = {
  PUBLISHER_GATEWAY_DID: `did:ethr:0x${'1'.repeat(40)}`,
  BRIDGE_ORIGIN_DID: `did:ethr:0x${'2'.repeat(40)}`,
  WEBHOOK_URL: 'http://127.0.0.1:9/events',
  WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'operator-config-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function problemsOf(change: (text: string) => string, env: Record<string, string> = environment): string {
  const path = join(folder, 'bridge.yaml');
  writeFileSync(path, change(readFileSync(shipped, 'utf8')));
  try {
    loadOperatorConfig(path, env);
  } catch (error) {
    if (error instanceof OperatorConfigError) return error.problems.join('\n');
    throw error;
  }
  return '';
}

describe('the shipped file', () => {
  it('is valid, and its placeholders are replaced', () => {
    const config = loadOperatorConfig(shipped, environment);
    expect(config.senders[0]?.gateways).toEqual([environment.PUBLISHER_GATEWAY_DID]);
    expect(config.alerts.sinks).toContainEqual({
      name: 'treasury',
      kind: 'webhook',
      url: environment.WEBHOOK_URL,
      secret: environment.WEBHOOK_SECRET,
    });
  });

  it('reports every placeholder without an environment variable', () => {
    expect(problemsOf((text) => text, {})).toBe(
      ['PUBLISHER_GATEWAY_DID', 'BRIDGE_ORIGIN_DID', 'WEBHOOK_URL', 'WEBHOOK_SECRET']
        .map((name) => `the environment variable ${name} is not set`)
        .join('\n'),
    );
  });
});

describe('an invalid file is refused with the place of the problem', () => {
  it.each([
    [
      'an amount without quotes',
      "'250000.00'",
      '250000.00',
      /participants\.0\.margin\.warning: write the amount in quotes/,
    ],
    ['an invalid amount', "'0.00'", "'zero'", /participants\.0\.margin\.breach: a decimal/],
    [
      'an invalid channel',
      'settlement.channels.bridge',
      'settlement.bridge',
      /routes\.0\.channel: a channel name/,
    ],
    [
      'an undefined sink',
      '[console, treasury]',
      '[console, pager]',
      /alerts\.rules\.0\.sinks: there is no sink named pager \(there are: console, treasury\)/,
    ],
    ['two sinks with one name', 'name: treasury', 'name: console', /names must differ/],
    ['an unknown key', 'participants:', 'colour: red\nparticipants:', /Unrecognized key: "colour"/],
    ['invalid YAML', 'participants:', 'participants: [', /not allowed/],
  ])('%s', (_, from, to, expected) => {
    expect(problemsOf((text) => text.replace(from, to))).toMatch(expected);
  });

  it.each([
    ['that is not a DID', 'gateway'],
    // EIP-55's first example, with its last letter in the other case.
    ['whose checksum is wrong', 'did:ethr:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'],
    ['with a method that is too long', `did:${'m'.repeat(33)}:0x${'2'.repeat(40)}`],
  ])('a sender %s', (_, sender) => {
    expect(problemsOf((text) => text, { ...environment, BRIDGE_ORIGIN_DID: sender })).toMatch(
      /senders\.0\.origins\.0: a DID/,
    );
  });

  it('accepts a sender with a valid checksum', () => {
    const sender = 'did:ethr:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    expect(problemsOf((text) => text, { ...environment, BRIDGE_ORIGIN_DID: sender })).toBe('');
  });

  it('a file that does not exist', () => {
    expect(() => loadOperatorConfig(join(folder, 'none.yaml'), {})).toThrow(/none\.yaml cannot be used/);
  });
});
