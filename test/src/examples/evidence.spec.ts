import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { EVENT_TYPES } from '@ssb/events';
import { runToEnd } from '@ssb/testing';
import { REPOSITORY_ROOT } from '@ssb/tools';
import { apiOf } from '../harness/archive-api.js';
import { type ArchivedEvent, archiveEveryType, startSystem } from './every-type.js';
import { readExamples, runExample } from './example-program.js';

/** Node prints the source line of an uncaught error. */
const MAX_MESSAGE_LENGTH = 5_000;
const CONCURRENT = { concurrency: 2 };

/** What both examples print about a file. */
interface Line {
  readonly file: string;
  readonly status: string;
  readonly reason?: string | null;
  readonly event?: string | null;
  readonly signedBy?: { readonly bridge?: string; readonly gateway?: string };
}

let folder: string;
let bridge: string;
let gateway: string;
/** The id of the event of each type. The file of its evidence has the name of the type. */
const ids = new Map<string, string>();

const pathOf = (name: string): string => join(folder, name);

/** The system has ended when the tests begin, because verification needs none. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evidence-'));
  const running = await startSystem();
  try {
    const { configVariables } = running.system;
    bridge = configVariables['BRIDGE_ORIGIN_DID'] ?? '';
    gateway = configVariables['PUBLISHER_GATEWAY_DID'] ?? '';
    const api = apiOf(running.system);
    await Readable.from(archiveEveryType(running)).forEach(async ({ type, id }: ArchivedEvent) => {
      ids.set(type, id);
      await write(['evidence', 'export', id, '--out', pathOf(type)], api);
    }, CONCURRENT);
    await write(['trust', 'export', '--history', '--out', pathOf('trust.json')], {
      ...configVariables,
      ...api,
    });
  } finally {
    await running.stop();
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function busbridge(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return runToEnd(join(REPOSITORY_ROOT, 'bundles', 'cli.js'), args, environment);
}

async function write(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<void> {
  const { status, stderr } = await busbridge(args, environment);
  expect([status, stderr]).toEqual([0, expect.stringMatching(/^\S+ has the [^\n]+\.\n$/)]);
}

/** What each example prints about evidence files, and its exit status. */
async function verify(trust: string, files: readonly string[]) {
  const runs = readExamples('evidence').map(async (example) => {
    const { status, stdout, stderr } = await runExample(example, [trust, ...files].map(pathOf));
    expect([example.name, stderr]).toEqual([example.name, '']);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return { status, lines: lines.map((line) => JSON.parse(line) as Line) };
  });
  expect(runs).toHaveLength(2);
  return Promise.all(runs);
}

it('each kit verifies evidence of each event type, exported from a running system', async () => {
  const types = [...ids.keys()];
  expect(types.toSorted()).toEqual(EVENT_TYPES.toSorted());
  const signedBy = { bridge: `${bridge}, trusted`, gateway: `${gateway}, trusted` };
  const notProved = expect.arrayContaining([expect.stringMatching(/^When it was signed/)]);
  const expected = types.map((type) =>
    expect.objectContaining({ status: 'verified', event: ids.get(type), signedBy, notProved }),
  );
  const [run, other] = await verify('trust.json', types);
  expect(run).toEqual({ status: 0, lines: expected });
  expect(other).toEqual(run);
});

describe('evidence of a breach', () => {
  const BREACH = 'settlementbus.margin.breached.v1';

  it('is damaged once a byte of it was changed', async () => {
    const bytes = readFileSync(pathOf(BREACH));
    bytes.write('7', bytes.indexOf('-60000.00') + 1);
    writeFileSync(pathOf('changed'), bytes);
    for (const run of await verify('trust.json', ['changed', BREACH]))
      expect(run).toMatchObject({
        status: 1,
        lines: [{ status: 'invalid', reason: 'damaged' }, { status: 'verified' }],
      });
    const { status, stdout } = await busbridge([
      'verify',
      pathOf('changed'),
      '--trust',
      pathOf('trust.json'),
    ]);
    expect([status, stdout]).toEqual([2, expect.stringMatching(/^invalid: damaged\. /)]);
  });

  it('is consistent, and not verified, with the trust file of another bridge or without one', async () => {
    const other = { version: 1, signatureScheme: 'eip191', channels: {} };
    writeFileSync(pathOf('other.json'), JSON.stringify(other));
    for (const run of await verify('other.json', [BREACH]))
      expect(run).toMatchObject({
        status: 1,
        lines: [{ status: 'consistent', reason: 'sender-not-allowed' }],
      });
    const { status, stdout } = await busbridge(['verify', pathOf(BREACH)]);
    const first = /^consistent; signer not verified: no trust file was given\.\n/;
    expect([status, stdout]).toEqual([1, expect.stringMatching(first)]);
  });
});

it('each kit says what is wrong with a trust file, in a few lines', async () => {
  writeFileSync(pathOf('wrong.json'), '{ "version": 1, "channels": {} }');
  for (const example of readExamples('evidence')) {
    const { status, stdout, stderr } = await runExample(example, ['wrong.json', 'evidence.json'].map(pathOf));
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('the trust file lacks signatureScheme');
    expect(stderr.length).toBeLessThan(MAX_MESSAGE_LENGTH);
  }
});
