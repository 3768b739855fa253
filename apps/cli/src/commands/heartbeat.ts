import { listChannels, type OperatorConfig } from '@ssb/config';
import { readSettings, renderTable } from '@ssb/platform';
import { openEventQueue } from '@ssb/redis-queue';
import { toPrintable } from '@ssb/net';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../duration.js';
import { explainFailures, fail } from '../fail.js';
import { SubscriberReplicas } from '../heartbeat/subscriber-replicas.js';
import { testPipeline, type TestedChannel, type TestResult } from '../heartbeat/test-heartbeat.js';
import { readConfig } from '../operator-config.js';
import { print } from '../print.js';
import { readQueueSettings } from '../queue/queue-settings.js';
import { withRedis } from '../queue/redis.js';
import { commandEnvironment, heartbeatSettings } from '../settings.js';

interface HeartbeatOptions {
  readonly participant?: string;
  readonly channel?: string;
  readonly timeout: number;
  readonly json: boolean;
}

const HELP = `
It queues a heartbeat that is marked as a test, and waits until the subscriber has verified it. The test does not count as a heartbeat of the
poller: it neither hides nor raises an alert. Settings: REDIS_URL, QUEUE_PREFIX, INTEGRITY_KEYS_FILE, CONFIG_FILE, SUBSCRIBER_URL and, with a
management token or a private authority, SUBSCRIBER_TOKEN_FILE and SUBSCRIBER_CA_FILE.
Exit status: 0 when every heartbeat was verified, else 1 and a sentence about the hop at which it is.

Examples:
  busbridge heartbeat                                      # each participant and channel of CONFIG_FILE
  busbridge heartbeat --participant WPGENCO --timeout 30s
`;

const MAX_SENTENCE_LENGTH = 500;

/** `busbridge heartbeat`. */
export function heartbeatCommand(): Command {
  return new Command('heartbeat')
    .description(
      'Sends a test heartbeat through the whole pipeline, and waits until the subscriber has verified it.',
    )
    .option('--participant <code>', 'a participant of CONFIG_FILE (default: each)')
    .option('--channel <fqcn>', 'a channel of its routes (default: each)')
    .addOption(
      new Option('--timeout <duration>', 'how long to wait, up to 1d: 30s, 5m')
        .argParser(parseTimeout)
        .default(parseDuration('60s'), '60s'),
    )
    .option('--json', 'print JSON', false)
    .addHelpText('after', HELP)
    .action((options: HeartbeatOptions) => explainFailures(() => heartbeat(options)));
}

/** A heartbeat announces no longer interval. */
const MAX_TIMEOUT_MS = 24 * 3_600_000;

function parseTimeout(text: string): number {
  const timeout = parseDuration(text);
  if (timeout > MAX_TIMEOUT_MS) throw new InvalidArgumentError('It is at most 1d.');
  return timeout;
}

async function heartbeat({ participant, channel, timeout, json }: HeartbeatOptions): Promise<void> {
  const config = readConfig();
  if (participant !== undefined && !config.participants.some(({ code }) => code === participant))
    return fail(`${participant} is not in participants of CONFIG_FILE. Give one of them.`);
  if (channel !== undefined && !listChannels(config).includes(channel))
    return fail(
      `No route of CONFIG_FILE has the channel ${channel}. Give one of ${listChannels(config).join(', ')}.`,
    );
  const { prefix, keys } = readQueueSettings();
  const replicas = await SubscriberReplicas.open(readSettings(heartbeatSettings, commandEnvironment()));
  await withRedis('heartbeat', async (redis) => {
    const queue = openEventQueue({ redis, prefix, keys });
    try {
      const tested = listTested(config, participant, channel);
      const results = await testPipeline(tested, Math.max(1_000, timeout), queue, replicas);
      print(results, json, render);
      for (const { participant: code, channel: fqcn, problem } of results)
        if (problem !== undefined) fail(`${code} on ${fqcn}: ${toPrintable(problem, MAX_SENTENCE_LENGTH)}`);
    } finally {
      await queue.close();
    }
  });
}

function listTested(
  config: OperatorConfig,
  participant: string | undefined,
  channel: string | undefined,
): TestedChannel[] {
  const codes = participant === undefined ? config.participants.map(({ code }) => code) : [participant];
  const channels = channel === undefined ? listChannels(config) : [channel];
  return codes.flatMap((code) => channels.map((fqcn) => ({ participant: code, channel: fqcn })));
}

function render(results: readonly TestResult[]): string {
  const ms = (value: number | undefined): string => (value === undefined ? 'no' : `after ${value} ms`);
  return renderTable(
    ['participant', 'channel', 'queued', 'published', 'verified'],
    results.map(({ participant, channel, queuedMs, publishedMs, verifiedMs }) => [
      participant,
      channel,
      ms(queuedMs),
      // The subscriber can be seen first.
      verifiedMs !== undefined && publishedMs === undefined ? 'yes' : ms(publishedMs),
      ms(verifiedMs),
    ]),
  );
}
