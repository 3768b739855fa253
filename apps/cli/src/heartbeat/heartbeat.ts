import { listChannels, type OperatorConfig } from '@ssb/config';
import { readSettings } from '@ssb/platform';
import { renderFittedTable, standardOutput, type Column } from '@ssb/platform/cli';
import { openEventQueue } from '@ssb/redis-queue';
import { toPrintable } from '@ssb/net/printable';
import { CommandError, EXIT } from '../exit.js';
import { readConfig } from '../operator-config.js';
import type { OutputOptions } from '../options.js';
import { printResult } from '../output/listing.js';
import { readQueueSettings } from '../queue/queue-settings.js';
import { withRedis } from '../queue/redis.js';
import { commandEnvironment, heartbeatSettings } from '../settings.js';
import { SubscriberReplicas } from './subscriber-replicas.js';
import { testPipeline, type TestedChannel, type TestResult } from './test-heartbeat.js';

export interface HeartbeatOptions extends OutputOptions {
  readonly participant?: string;
  readonly channel?: string;
  readonly timeout: number;
}

const MAX_SENTENCE_LENGTH = 500;

export async function heartbeat({ participant, channel, timeout, output }: HeartbeatOptions): Promise<void> {
  const config = readConfig();
  if (participant !== undefined && !config.participants.some(({ code }) => code === participant))
    throw new CommandError(
      `${participant} is not in participants of CONFIG_FILE. Give one of them.`,
      EXIT.usage,
    );
  if (channel !== undefined && !listChannels(config).includes(channel))
    throw new CommandError(
      `No route of CONFIG_FILE has the channel ${channel}. Give one of ${listChannels(config).join(', ')}.`,
      EXIT.usage,
    );
  const { prefix, keys } = readQueueSettings();
  const replicas = await SubscriberReplicas.open(readSettings(heartbeatSettings, commandEnvironment()));
  await withRedis('heartbeat', async (redis) => {
    const queue = openEventQueue({ redis, prefix, keys });
    try {
      const tested = listTested(config, participant, channel);
      const results = await testPipeline(tested, Math.max(1_000, timeout), queue, replicas);
      printResult(results, output, () => renderFittedTable(COLUMNS, results, standardOutput.width));
      const problems = results.flatMap(({ participant: code, channel: fqcn, problem }) =>
        problem === undefined ? [] : [`${code} on ${fqcn}: ${toPrintable(problem, MAX_SENTENCE_LENGTH)}`],
      );
      if (problems.length > 0) throw new CommandError(problems.join('\n'));
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

const showMs = (value: number | undefined): string => (value === undefined ? 'no' : `after ${value} ms`);

const COLUMNS: readonly Column<TestResult>[] = [
  { head: 'participant', cell: ({ participant }) => participant },
  { head: 'channel', cell: ({ channel }) => channel },
  { head: 'queued', cell: ({ queuedMs }) => showMs(queuedMs) },
  {
    head: 'published',
    // The subscriber can be seen first.
    cell: ({ publishedMs, verifiedMs }) =>
      verifiedMs !== undefined && publishedMs === undefined ? 'yes' : showMs(publishedMs),
  },
  { head: 'verified', cell: ({ verifiedMs }) => showMs(verifiedMs) },
];
