import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { durabilityWarnings } from './redis/durability-warning.js';
import { obtainRedis, type ObtainedRedis } from './redis/obtain-redis.js';
import { coloured, eventLine, plain } from './report/events.js';
import { Progress } from './report/progress.js';
import { renderTable } from './report/table.js';
import { SecretsFolder, webhookSecret } from './secrets/secrets-folder.js';
import { WebhookSink } from './sink/webhook-sink.js';
import { REPOSITORY, type LogLine } from './system/app-process.js';
import { checkPorts } from './system/check-ports.js';
import { Journeys } from './system/journey.js';
import { freePorts, STANDARD_PORTS, type Ports } from './system/layout.js';
import { supervise } from './system/supervise.js';
import { System } from './system/system.js';

/** `npm start`: everything on this machine, with its data in `.data/`, until Ctrl-C. */
const {
  scenario,
  data,
  freePorts: anywhere,
} = new Command('npm start --')
  .description(
    'Runs market, bridge and bus on this machine and prints each event as the subscriber verifies it.',
  )
  .option('--scenario <name or file>', 'what the simulator plays', 'everyday')
  .option('--data <folder>', 'where everything is kept', join(REPOSITORY, '.data'))
  .option('--free-ports', 'listen on free ports instead of the standard ones', false)
  .addHelpText(
    'after',
    '\nEnvironment:\n  REDIS_URL       a Redis to use instead of a private one\n  WEBHOOK_URL     where alerts are posted (default: a receiver inside this command)\n  WEBHOOK_SECRET  its Standard Webhooks secret, whsec_…\n',
  )
  .parse()
  .opts<{ scenario: string; data: string; freePorts: boolean }>();

const environment = process.env;
const paint = process.stdout.isTTY ? coloured : plain;
const say = (text: string): void => void process.stdout.write(text);
const progress = new Progress(say);
const journeys = new Journeys();
const undo: (() => Promise<void>)[] = [];
let stopping: Promise<void> | undefined;

// Asked to stop while still starting: what has come up so far is stopped, in order.
process.on('SIGINT', () => void stop().then(() => process.exit(0)));
process.on('SIGTERM', () => void stop().then(() => process.exit(0)));

try {
  await start();
} catch (error) {
  if (stopping === undefined) {
    say(`\n${error instanceof Error ? error.message : String(error)}\n`);
    await stop();
    process.exit(1);
  }
}

async function start(): Promise<void> {
  say('Starting market, bridge and bus:\n');
  const ports = anywhere ? await freePorts() : STANDARD_PORTS;
  await checkPorts(ports);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const redis = await progress.step('Redis', obtain, ({ how }) => how);
  undo.push(async () => redis.own?.stop());
  noteRedis(redis.url);
  const warnings = await durabilityWarnings(redis.url, environment['NODE_ENV'] === 'production');
  for (const warning of warnings) say(`\n  WARNING: ${warning}\n\n`);
  const webhook = await receiver();
  const system = await System.start({
    folder: data,
    ports,
    redisUrl: redis.url,
    webhook,
    progress,
    scenario,
    onLog: note,
    onSystem: (starting) => undo.push(() => starting.stop()),
    onUnexpectedEnd: (name, how) => supervise(system, name, how, progress),
  });
  say(
    `\n${addresses(ports, redis, webhook.url)}\n\nLogs are in ${join(data, 'logs')}. Ctrl-C stops everything.\n\n`,
  );
}

function obtain(): Promise<ObtainedRedis> {
  return obtainRedis({
    url: environment['REDIS_URL'],
    folder: join(data, 'redis'),
    searchPath: environment['PATH'] ?? '',
    onProgress: (what) => progress.note(what),
  });
}

/** Other commands of ours find the Redis by this note, which lives as long as we do. */
function noteRedis(url: string): void {
  const note = join(data, 'redis.url');
  writeFileSync(note, url, { mode: 0o600 });
  undo.push(async () => rmSync(note, { force: true }));
}

/** Where alerts go: the operator's own address, or a receiver of ours so that deliveries can be seen at once. */
async function receiver(): Promise<{ url: string; secret: string }> {
  const secret =
    environment['WEBHOOK_SECRET'] ??
    new SecretsFolder(join(data, 'secrets')).value('webhook.secret', webhookSecret);
  if (environment['WEBHOOK_URL']) return { url: environment['WEBHOOK_URL'], secret };
  const sink = new WebhookSink(secret);
  const url = await sink.start();
  undo.push(() => sink.stop());
  return { url, secret };
}

function note(_: string, line: LogLine): void {
  const journey = journeys.note(line);
  if (journey === undefined || line.step !== 'alerted' || line['sink'] !== 'console') return;
  say(`${eventLine(journey, journey.alert ?? false, paint)}\n`);
  journeys.forget(journey.eventId);
}

function addresses(ports: Ports, redis: ObtainedRedis, webhookUrl: string): string {
  const at = (port: number, path = '', scheme = 'http'): string => `${scheme}://127.0.0.1:${port}${path}`;
  return renderTable(
    ['service', 'listens on', 'look at'],
    [
      ['token', at(ports.token, '', 'https'), '/oauth/v1/token, /.well-known/jwks.json'],
      ['reporting', at(ports.reporting, '', 'https'), '/api/v2/… (client certificate and bearer token)'],
      ["reporting, operator's door", at(ports.operator), '/operator/v1/…, /health/ready, /metrics'],
      ['simulator', at(ports.simulator), '/health/ready, /metrics'],
      ['broker', at(ports.broker), '/health, /metrics'],
      ["publisher's gateway", at(ports['gateway-publisher']), '/api/v1/…, /events, /api/health'],
      ["subscriber's gateway", at(ports['gateway-subscriber']), '/api/v1/…, /events, /api/health'],
      ['poller', at(ports.poller), '/health/ready, /metrics'],
      ['bus-publisher', at(ports['bus-publisher']), '/health/ready, /metrics'],
      ['subscriber', at(ports.subscriber), '/health/ready, /metrics'],
      ['webhook receiver', webhookUrl, ''],
      ['Redis', redis.url.replace(/\/\/[^@/]*@/, '//…@'), ''],
    ],
  );
}

/** Stops what has been started, last first. Asking twice does not stop it twice. */
function stop(): Promise<void> {
  return (stopping ??= (async () => {
    say('\nStopping …\n');
    const began = Date.now();
    for (const each of undo.splice(0).reverse()) await each();
    say(
      `Stopped after ${((Date.now() - began) / 1000).toFixed(1)} s. The next npm start goes on with ${data}.\n`,
    );
  })());
}
