import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { DEFAULT_PREFIX, openDeadLetters, type DeadLetter } from '@ssb/queue';
import { connectRedis } from '@ssb/redis';
import { reachRedis, UnreachableRedisError } from './redis/reach-redis.js';
import { renderTable, whenOutputCloses } from '@ssb/platform';
import { REPOSITORY } from './system/app-process.js';

/** `npm run dead-letters`: events that can never be published as things stand; list them, or send them round again. */
const program = new Command('npm run dead-letters --')
  .description(
    'Lists events that could not be published, and sends them round again once the cause is mended.',
  )
  .option('--redis <url>', 'Redis of the queue (default: REDIS_URL, else that of a running npm start)')
  .option('--prefix <prefix>', 'prefix of the queue keys', DEFAULT_PREFIX)
  .option('--json', 'print JSON', false);

program
  .command('list', { isDefault: true })
  .description('the dead letters, oldest first')
  .action(() => run(async (letters) => show(await letters.list())));

program
  .command('replay')
  .description('queue dead letters again; each leaves the list once it has been delivered')
  .argument('<id...>', 'event ids, or "all"')
  .action((ids: string[]) =>
    run(async (letters) => {
      const chosen = ids.includes('all') ? (await letters.list()).map(({ event }) => event.id) : ids;
      const outcomes: { id: string; outcome: string }[] = [];
      for (const id of chosen) outcomes.push({ id, outcome: await letters.replay(id) });
      if (outcomes.some(({ outcome }) => outcome === 'not-found')) process.exitCode = 1;
      print(outcomes, () =>
        renderTable(
          ['id', 'outcome'],
          outcomes.map(({ id, outcome }) => [id, outcome]),
        ),
      );
    }),
  );

whenOutputCloses();
await program.parseAsync();

type Letters = ReturnType<typeof openDeadLetters>;

async function run(work: (letters: Letters) => Promise<void>): Promise<void> {
  const { redis: given, prefix } = program.opts<{ redis?: string; prefix: string }>();
  const url = given ?? process.env['REDIS_URL'] ?? runningRedis();
  if (url === undefined) {
    process.stderr.write('No Redis: give --redis <url> or REDIS_URL, or start the system with npm start.\n');
    process.exitCode = 1;
    return;
  }
  try {
    await reachRedis(url, { production: false });
  } catch (error) {
    if (!(error instanceof UnreachableRedisError)) throw error;
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

/** Address that a running `npm start` has noted. */
function runningRedis(): string | undefined {
  const note = join(REPOSITORY, '.data', 'redis.url');
  return existsSync(note) ? readFileSync(note, 'utf8').trim() : undefined;
}

function show(letters: readonly DeadLetter[]): void {
  print(letters, () =>
    letters.length === 0
      ? 'There are no dead letters.'
      : renderTable(
          ['id', 'type', 'subject', 'parked at', 'reason'],
          letters.map(({ event, parkedAt, reason }) => [
            event.id,
            event.type,
            event.subject,
            parkedAt,
            reason,
          ]),
        ),
  );
}

function print(value: unknown, table: () => string): void {
  const { json } = program.opts<{ json: boolean }>();
  process.stdout.write(`${json ? JSON.stringify(value, null, 2) : table()}\n`);
}
