import { startTestRedis, waitFor } from '@ssb/testing';
import { Redis } from 'ioredis';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Command,
  endCommands,
  ended,
  interrupt,
  leftovers,
  runCommand,
  shows,
} from './harness/command.js';

/** A statement, a breach and its cure, each there for longer than npm start's polls are apart. */
const SHORT_SCENARIO = `
kind: once
about: A statement, a breach and its cure.
seed: start
book:
  creditSupport: '8000000.00'
  creditLimit: '7500000.00'
  tradingLimit: '6525000.00'
  prepayment: '100000.00'
  invoiceNotPaid: '1250000.00'
runs:
  wem:
    marketService: WEM
    designation: INITIAL
    firstDay: -14
    lastDay: -8
    statementDay: 0
    invoiceDay: 0
    settlementDay: 3
steps:
  - { statement: wem, hold: 0s }
  - { margin: '-60000.00', hold: 3s }
  - { margin: '850000.00', hold: 0s }
expect: []
`;

let folder: string;
let data: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-start-'));
  data = join(folder, 'data');
  writeFileSync(join(folder, 'short.yaml'), SHORT_SCENARIO);
});

afterEach(endCommands);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Servers that outlive a killed npm start, so that nothing is lost. */
const isServer = (command: string): boolean => /redis|postgres/.test(command);

function start(environment: Readonly<Record<string, string>> = {}): Command {
  const simulation = ['--scenario', join(folder, 'short.yaml')];
  return runCommand('bundles/start.js', ['--data', data, '--free-ports', ...simulation], environment);
}

describe('npm start', () => {
  it('prints where each service listens and a line for each event, and Ctrl-C leaves nothing behind', async () => {
    mkdirSync(join(data, 'subscriber'), { recursive: true });
    writeFileSync(join(data, 'subscriber', 'PG_VERSION'), '17\n');
    const started = start();
    await shows(started, 'Ctrl-C stops everything', 180_000);
    expect(started.output()).toContain(`data of an earlier release is in ${join(data, 'subscriber')}`);
    expect(started.output()).toMatch(/PostgreSQL +postgres:\/\/…@127\.0\.0\.1:\d+\/settlement_bus_bridge/);
    expect(started.output()).toMatch(/subscriber +http:\/\/127\.0\.0\.1:\d+/);
    await shows(started, /!! .*margin\.breached +WPGENCO\/prudential/, 90_000);
    await shows(started, /margin\.restored/, 60_000);
    await shows(started, / {3}\d\d:\d\d:\d\d\.\d{3} {2}statement\.published/, 60_000);
    expect(leftovers(data).length).toBeGreaterThan(0);
    const DATABASE_URL = readFileSync(join(data, 'subscriber-database.url'), 'utf8').trim();
    await shows(runCommand('tools/dist/archive.js', [], { DATABASE_URL }), /margin\.breached/, 60_000);
    expect(await interrupt(started)).toBe(0);
    expect(leftovers(data)).toEqual([]);
  }, 400_000);

  // The one before it left its data, this one leaves its servers, and the next one takes them over.
  it('goes on with the same data, announces nothing a second time, and leaves no app behind when it is killed outright', async () => {
    const started = start();
    await shows(started, 'Ctrl-C stops everything', 180_000);
    // The simulator publishes the same statement again, which is the same fact; its margins are new calculations.
    await shows(started, /margin\.restored/, 90_000);
    expect(started.output()).not.toContain('statement.published');
    expect(await interrupt(started, 'SIGKILL')).toBeNull();
    await waitFor(
      () => `the end of the apps; still running:\n${leftovers(data).join('\n')}`,
      () => leftovers(data).every(isServer),
    );
    const servers = leftovers(data);
    expect(servers.some((command) => command.includes('postgres'))).toBe(true);
    const next = start();
    await shows(next, 'Ctrl-C stops everything', 180_000);
    for (const server of servers) expect(leftovers(data)).toContain(server);
    expect(await interrupt(next)).toBe(0);
    expect(leftovers(data)).toEqual([]);
  }, 600_000);

  it('warns of a Redis that could lose jobs, and refuses it in production', async () => {
    const redis = await startTestRedis();
    const client = new Redis(redis.url);
    try {
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
      const refused = start({ REDIS_URL: redis.url, NODE_ENV: 'production' });
      expect(await ended(refused)).toBe(1);
      expect(refused.output()).toContain('maxmemory-policy is allkeys-lru');
      expect(refused.output()).toContain('refused in production');
      const warned = start({ REDIS_URL: redis.url });
      await shows(warned, /WARNING: .*maxmemory-policy is allkeys-lru/, 60_000);
      expect(await interrupt(warned)).toBe(0);
    } finally {
      client.disconnect();
      await redis.stop();
    }
  }, 240_000);
});
