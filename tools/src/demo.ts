import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { expectedEvents } from './demo/expectations.js';
import { demoResult, demoTable, isComplete, type DemoResult } from './demo/result.js';
import { obtainRedis } from './redis/obtain-redis.js';
import { eventLine, plain, coloured } from './report/events.js';
import { Progress } from './report/progress.js';
import { SecretsFolder, webhookSecret } from './secrets/secrets-folder.js';
import { WebhookSink } from './sink/webhook-sink.js';
import type { LogLine } from './system/app-process.js';
import { Journeys } from './system/journey.js';
import { freePorts } from './system/layout.js';
import { System } from './system/system.js';

/** `npm run demo`: a short market through the whole road, on a throw-away folder and free ports. */
const PARTICIPANT = 'WPGENCO';
const SCENARIO = 'demo';

const { json, timeout } = new Command('npm run demo --')
  .description(
    'Plays a short market through the whole road and shows what arrived. Ends with status 0 when all of it did.',
  )
  .option('--json', 'print one JSON document and nothing else', false)
  .option('--timeout <seconds>', 'how long to wait for the last event', '60')
  .parse()
  .opts<{ json: boolean; timeout: string }>();

const paint = process.stdout.isTTY ? coloured : plain;
const say = (text: string): void => void (json || process.stdout.write(text));
const journeys = new Journeys();
const published: string[] = [];
let arrived: () => void = () => undefined;

const result = await run();
if (json) process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
else print(result);
process.exitCode = result.ok ? 0 : 1;

async function run(): Promise<DemoResult> {
  const began = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-demo-'));
  const progress = new Progress(say);
  const sink = new WebhookSink(
    new SecretsFolder(join(folder, 'secrets')).value('webhook.secret', webhookSecret),
  );
  const undo: (() => Promise<void>)[] = [];
  const cleanUp = async (): Promise<void> => {
    for (const each of undo.splice(0).reverse()) await each();
    rmSync(folder, { recursive: true, force: true });
  };
  const interrupted = (): void => void cleanUp().finally(() => process.exit(130));
  process.once('SIGINT', interrupted);
  process.once('SIGTERM', interrupted);
  try {
    say('Starting market, bridge and bus:\n');
    const redis = await progress.step(
      'Redis',
      // The demo never touches a Redis that somebody uses: always a private one.
      () =>
        obtainRedis({
          folder: join(folder, 'redis'),
          searchPath: process.env['PATH'] ?? '',
          onProgress: (what) => progress.note(what),
        }),
      ({ how }) => how,
    );
    undo.push(async () => redis.own?.stop());
    const url = await sink.start();
    undo.push(() => sink.stop());
    sink.onDelivery(() => arrived());
    const expected = expectedEvents(SCENARIO, PARTICIPANT, new Date());
    const system = await System.start({
      folder,
      ports: await freePorts(),
      redisUrl: redis.url,
      webhook: {
        url,
        secret: new SecretsFolder(join(folder, 'secrets')).value('webhook.secret', webhookSecret),
      },
      progress,
      scenario: SCENARIO,
      participant: PARTICIPANT,
      pollIntervalMs: 250,
      onLog: note,
      onUnexpectedEnd: (name, how) => say(`  ${name} ended unexpectedly (${how})\n`),
    });
    undo.push(() => system.stop());
    say(`\nThe market plays; ${expected.length} events must arrive:\n`);
    const find = (event: { type: string; subject: string }): ReturnType<Journeys['find']> =>
      journeys.find(event.type, event.subject);
    await allArrived(
      () => expected.every((event) => isComplete(find(event), (id) => sink.has(id))),
      Number(timeout) * 1000,
    );
    return demoResult(expected, find, sink.deliveries, published, (Date.now() - began) / 1000);
  } finally {
    await cleanUp();
    process.off('SIGINT', interrupted);
    process.off('SIGTERM', interrupted);
  }
}

function note(name: string, line: LogLine): void {
  if (name === 'simulator' && line.step === 'published' && typeof line['subject'] === 'string')
    published.push(line['subject']);
  const journey = journeys.note(line);
  if (journey === undefined) return;
  if (line.step === 'verified')
    say(`${eventLine(journey, /margin\.(warning|breached)/.test(journey.type), paint)}\n`);
  arrived();
}

/** Resolves when the condition holds, looked at whenever something arrived, or when the time is over. */
function allArrived(condition: () => boolean, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(finish, timeoutMs);
    function finish(): void {
      clearTimeout(timer);
      arrived = () => undefined;
      resolve();
    }
    arrived = () => condition() && finish();
    arrived();
  });
}

function print(demo: DemoResult): void {
  say(`\n${demoTable(demo)}\n\n`);
  if (demo.ok) {
    say(
      `All ${demo.events.length} events arrived: verified, archived and delivered once, in ${demo.seconds.toFixed(1)} s.\n`,
    );
    return;
  }
  say(`Missing after ${timeout} s:\n`);
  for (const { type, subject, lastSeen } of demo.missing)
    say(`  ${type}  ${subject}\n    last seen: ${lastSeen}\n`);
}
