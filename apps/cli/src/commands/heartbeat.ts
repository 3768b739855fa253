import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../duration.js';
import type { HeartbeatOptions } from '../heartbeat/heartbeat.js';
import { addOutput } from '../options.js';

const HELP = `
It queues a heartbeat that is marked as a test, and waits until the subscriber has verified it. The test does not count as a heartbeat of the
poller: it neither hides nor raises an alert. Settings: REDIS_URL, QUEUE_PREFIX, INTEGRITY_KEYS_FILE, CONFIG_FILE, SUBSCRIBER_URL and, with a
management token or a private authority, SUBSCRIBER_TOKEN_FILE and SUBSCRIBER_CA_FILE.
Exit status: 0 when every heartbeat was verified, else 1 and a sentence about the hop at which it is.

Examples:
  busbridge heartbeat                                      # each participant and channel of CONFIG_FILE
  busbridge heartbeat --participant WPGENCO --timeout 30s
`;

/** `busbridge heartbeat`. */
export function heartbeatCommand(): Command {
  return addOutput(new Command('heartbeat'))
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
    .addHelpText('after', HELP)
    .action(async (options: HeartbeatOptions) =>
      (await import('../heartbeat/heartbeat.js')).heartbeat(options),
    );
}

/** A heartbeat announces no longer interval. */
const MAX_TIMEOUT_MS = 24 * 3_600_000;

function parseTimeout(text: string): number {
  const timeout = parseDuration(text);
  if (timeout > MAX_TIMEOUT_MS) throw new InvalidArgumentError('It is at most 1d.');
  return timeout;
}
