import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { verifyProof } from '@ssb/events';
import { writeFileAtomically } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { parse, stringify } from 'yaml';
import { runCommand, waitForExit } from '../harness/command.js';
import type { Fact } from '../harness/market.js';
import { running } from './shared-system.js';

/** Statements of one batch. */
const BATCH = 2;
const MAX_BATCHES_IN_FLIGHT = 2;
/** Faults that a busy machine causes without a wrong key. */
const DELAYS = ['heartbeat-missing', 'subscriber-silent', 'poll-overdue', 'operator-data-old'];
const CHANNEL = 'settlement.channels.bridge.apps.participant.iam.market';

/** Publishes facts until the test stops it, so that some are always in flight. Deliveries limit the rate. */
class Load {
  readonly facts: Fact[] = [];
  private stopped = false;
  private readonly done = this.run();

  constructor() {
    // Reported when the load is stopped.
    this.done.catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.done;
  }

  /** Waits until another batch and everything before it have arrived. */
  async waitForMore(): Promise<void> {
    const before = this.facts.length;
    await waitFor('another batch', () => this.facts.length > before);
    await running.waitForDeliveries([...this.facts]);
  }

  private async run(): Promise<void> {
    for (let batch = 0; !this.stopped; batch += 1) {
      const first = Math.max(0, batch - MAX_BATCHES_IN_FLIGHT) * BATCH;
      const earlier = this.facts.slice(first, first + BATCH);
      await running.waitForDeliveries(earlier);
      await running.market.endRuns(earlier);
      this.facts.push(...(await running.market.publishStatements(BATCH)));
    }
  }
}

interface KeysOutput {
  readonly originDids: readonly string[];
  readonly dropped: Readonly<Record<string, readonly number[]>>;
}

/** Runs `busbridge keys` on the keys of the running system. */
async function changeKeys(command: string, ...options: string[]): Promise<KeysOutput> {
  const folder = dirname(running.system.plan.secrets.encryptionSecretFile);
  const process = runCommand('bundles/cli.js', [
    'keys',
    command,
    'all',
    'origin',
    '--dir',
    folder,
    ...options,
    '--json',
  ]);
  expect([await waitForExit(process), process.output()]).toEqual([0, expect.any(String)]);
  return JSON.parse(process.output()) as KeysOutput;
}

interface OperatorFile {
  senders: { origins: unknown[] }[];
}

/** Adds the next DID to each origin of the configuration file, which the running apps read again. */
async function trustOrigin(did: string | undefined): Promise<void> {
  const path = running.system.plan.operatorConfig;
  const config = parse(readFileSync(path, 'utf8')) as OperatorFile;
  for (const sender of config.senders) sender.origins.push(did);
  await writeFileAtomically(path, stringify(config));
  const isReloaded = (name: string): boolean =>
    running.lines.some(({ app, line }) => app === name && line.msg === 'configuration reloaded');
  await waitFor('the reload', () => ['bus-publisher', 'poller', 'subscriber'].every(isReloaded));
}

/** Deliveries by the origin that signed them. */
function countByOrigin(dids: readonly string[]): number[] {
  const origins = running.receiver.deliveries.map(({ body }) => {
    const verdict = verifyProof(JSON.parse(body) as Record<string, unknown>, dids);
    return verdict.ok ? verdict.origin : verdict.reason;
  });
  return dids.map((did) => origins.filter((origin) => origin === did).length);
}

/** Subjects of all statements on the bus, with those of repeats. A new `clientId` reads from the first message. */
async function readSubjects(): Promise<string[]> {
  const reader = running.system.gatewayClient('subscriber');
  const query = { fqcn: CHANNEL, amount: 1_000, clientId: 'key-rotation-spec' };
  const subjects: string[] = [];
  try {
    for (;;) {
      const messages = await reader.readMessages(query);
      if (messages.length === 0) return subjects;
      for (const { payload } of messages) {
        const { type, subject } = JSON.parse(payload) as Fact;
        if (type === 'settlementbus.statement.published.v1') subjects.push(subject);
      }
    }
  } finally {
    await reader.close();
  }
}

/** Metrics of both gateways that count refused logins. */
async function readRefusedLogins(): Promise<string[]> {
  const { ports } = running.system.plan;
  const texts = await Promise.all(
    [ports['gateway-publisher-management'], ports['gateway-subscriber-management']].map(async (port) =>
      (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
    ),
  );
  for (const text of texts) expect(text).toContain('settlement_bus_gateway_logins_refused_total');
  return texts.flatMap(
    (text) => text.match(/^settlement_bus_gateway_logins_refused_total\{.*\} [1-9].*$/gm) ?? [],
  );
}

/** Rotates every key and changes the configuration. @returns the old and the new origin */
async function rotateKeys(load: Load): Promise<readonly string[]> {
  await load.waitForMore();
  const { originDids } = await changeKeys('rotate', '--active-in', '1h');
  await trustOrigin(originDids[1]);
  await load.waitForMore();
  expect(countByOrigin(originDids)[1]).toBe(0);

  await changeKeys('activate', '--active-in', '2s');
  await waitFor('an event that the next origin key signed', () => (countByOrigin(originDids)[1] ?? 0) > 0);
  await load.waitForMore();
  const { dropped } = await changeKeys('retire', '--overlap', '0s');
  expect(Object.values(dropped)).toEqual([[1], [1], [1], [1], [1]]);
  await waitFor('a connection with the new password', () => countLines('gateway stream connected') >= 3);
  await load.waitForMore();
  return originDids;
}

it('every key is rotated and the configuration changed under load, and every fact arrives exactly once', async () => {
  const load = new Load();
  let originDids: readonly string[];
  try {
    originDids = await rotateKeys(load);
  } finally {
    await load.stop();
  }
  const { facts } = load;

  await running.waitForDeliveries(facts);
  for (const fact of facts) expect(running.findDeliveredEvents(fact)).toHaveLength(1);
  expect((await readSubjects()).sort()).toEqual(facts.map(({ subject }) => subject).sort());
  expect(await readRefusedLogins()).toEqual([]);
  for (const count of countByOrigin(originDids)) expect(count).toBeGreaterThan(0);
  const steps = new Set(running.lines.map(({ line }) => line.step));
  expect([steps.has('quarantined'), steps.has('dead-lettered')]).toEqual([false, false]);
  const faults = running.deliveredEvents().filter(({ type }) => type.includes('.alert.'));
  expect(faults.filter(({ data }) => !DELAYS.includes(String(data['reason'])))).toEqual([]);
  expect(countLines('keys reload failed')).toBe(0);
});

function countLines(msg: string): number {
  return running.lines.filter(({ line }) => line.msg === msg).length;
}
