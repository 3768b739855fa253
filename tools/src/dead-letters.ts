import { renderTable, exitWhenOutputCloses } from '@ssb/platform';
import { type DeadLetter, DEFAULT_PREFIX, openDeadLetters } from '@ssb/queue';
import { connectRedis, RedisDatabaseError } from '@ssb/redis';
import { Command } from 'commander';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkRedis, UnreachableRedisError } from './servers/redis.js';
import { REPOSITORY_ROOT } from './system/processes.js';

/** `npm run dead-letters` lists the events that could not be published, or queues them again. */
const program = new Command('npm run dead-letters --')
  .description('Lists events that could not be published, and queues them again once the cause is fixed.')
  .option(
    '--redis <url>',
    'Redis of the queue (default: REDIS_URL, otherwise the Redis of a running npm start)',
  )
  .option(
    '--prefix <prefix>',
    'prefix of the keys (default: QUEUE_PREFIX)',
    process.env['QUEUE_PREFIX'] || DEFAULT_PREFIX,
  )
  .option('--json', 'print JSON', false);

program
  .command('list', { isDefault: true })
  .description('the dead letters, oldest first')
  .action(() => run(async (letters) => printList(await letters.list())));

program
  .command('replay')
  .description('queue dead letters again; each leaves the list after its delivery')
  .argument('<id...>', 'event ids, or "all"')
  .action((ids: string[]) =>
    run(async (letters) => {
      const selected = ids.includes('all') ? (await letters.list()).map(({ event }) => event.id) : ids;
      const outcomes: { id: string; outcome: string }[] = [];
      for (const id of selected) outcomes.push({ id, outcome: await letters.replay(id) });
      if (outcomes.some(({ outcome }) => outcome === 'not-found')) process.exitCode = 1;
      print(outcomes, () =>
        renderTable(
          ['id', 'outcome'],
          outcomes.map(({ id, outcome }) => [id, outcome]),
        ),
      );
    }),
  );

exitWhenOutputCloses();
await program.parseAsync();

type DeadLetters = ReturnType<typeof openDeadLetters>;

async function run(work: (letters: DeadLetters) => Promise<void>): Promise<void> {
  const { redis: redisOption, prefix } = program.opts<{ redis?: string; prefix: string }>();
  const url = redisOption ?? process.env['REDIS_URL'] ?? findRunningRedis();
  if (url === undefined) {
    process.stderr.write('No Redis: give --redis <url> or REDIS_URL, or start the system with npm start.\n');
    process.exitCode = 1;
    return;
  }
  try {
    await checkRedis(url, { production: false });
  } catch (error) {
    if (!(error instanceof UnreachableRedisError || error instanceof RedisDatabaseError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
    return;
  }
  const redis = connectRedis(url, { name: 'dead-letters', blocking: true });
  const letters = openDeadLetters(redis, prefix);
  try {
    await work(letters);
  } finally {
    await letters.close();
    redis.disconnect();
  }
}

/** URL in the file that a running `npm start` keeps. */
function findRunningRedis(): string | undefined {
  const urlFile = join(REPOSITORY_ROOT, '.data', 'redis.url');
  return existsSync(urlFile) ? readFileSync(urlFile, 'utf8').trim() : undefined;
}

function printList(letters: readonly DeadLetter[]): void {
  print(letters, () =>
    letters.length === 0
      ? 'There are no dead letters.'
      : renderTable(
          ['id', 'type', 'subject', 'dead-lettered at', 'reason'],
          letters.map(({ event, deadLetteredAt, reason }) => [
            event.id,
            event.type,
            event.subject,
            deadLetteredAt,
            reason,
          ]),
        ),
  );
}

function print(value: unknown, table: () => string): void {
  const { json } = program.opts<{ json: boolean }>();
  process.stdout.write(`${json ? JSON.stringify(value, null, 2) : table()}\n`);
}
