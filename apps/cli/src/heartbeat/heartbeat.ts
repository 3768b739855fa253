import { listChannels, type OperatorConfig } from '@ssb/config';
import { readSettings } from '@ssb/platform';
import { renderTable } from '@ssb/platform/cli';
import { openEventQueue } from '@ssb/redis-queue';
import { toPrintable } from '@ssb/net/printable';
import { CommandError, EXIT } from '../exit.js';
import { readConfig } from '../operator-config.js';
import { print } from '../print.js';
import { readQueueSettings } from '../queue/queue-settings.js';
import { withRedis } from '../queue/redis.js';
import { commandEnvironment, heartbeatSettings } from '../settings.js';
import { SubscriberReplicas } from './subscriber-replicas.js';
import { testPipeline, type TestedChannel, type TestResult } from './test-heartbeat.js';

export interface HeartbeatOptions {
  readonly participant?: string;
  readonly channel?: string;
  readonly timeout: number;
  readonly json: boolean;
}

const MAX_SENTENCE_LENGTH = 500;

export async function heartbeat({ participant, channel, timeout, json }: HeartbeatOptions): Promise<void> {
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
      print(results, json, render);
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
