import type { Redis } from 'ioredis';

/** This Redis may lose jobs, and production does not accept that. */
export class UnsafeRedisError extends Error {
  override readonly name = 'UnsafeRedisError';

  constructor(readonly dangers: readonly string[]) {
    super(`This Redis could lose data and is refused in production. ${dangers.join(' ')}`);
  }
}

/** What Redis says of itself, as far as losing data is concerned. `undefined`: it does not tell (managed services hide CONFIG). */
export interface RedisDurability {
  readonly maxmemoryPolicy?: string;
  readonly appendonly?: string;
  readonly appendfsync?: string;
  readonly save?: string;
}

/** The dangers in a configuration, each a sentence with the remedy; empty when none. */
export function dangersOf({ maxmemoryPolicy, appendonly, save }: RedisDurability): string[] {
  const dangers: string[] = [];
  if (maxmemoryPolicy !== undefined && maxmemoryPolicy !== 'noeviction') {
    dangers.push(
      `Its maxmemory-policy is ${maxmemoryPolicy}, so it may throw jobs away when memory is short; set it to noeviction.`,
    );
  }
  if (appendonly !== undefined && appendonly !== 'yes') {
    dangers.push(
      save
        ? 'It has no append-only file, so a crash loses what came since the last snapshot; set appendonly to yes.'
        : 'It keeps nothing on disk, so a restart loses everything; set appendonly to yes.',
    );
  }
  return dangers;
}

/** What a crash may take of what Redis has confirmed, a sentence with the remedy; none where it writes before it answers. */
export function lossesOf({ appendonly, appendfsync }: RedisDurability): string[] {
  if (appendonly !== 'yes' || appendfsync === undefined || appendfsync === 'always') return [];
  return [
    `Its appendfsync is ${appendfsync}, so a crash may lose what it has confirmed last; set it to always.`,
  ];
}

export interface DurabilityNeeds {
  readonly production: boolean;
  /** Whether others were told that what is stored is safe, so that nobody would bring it again after a crash. */
  readonly confirms?: boolean;
}

/**
 * Checks that Redis keeps what it is given.
 * @returns warnings, one sentence each; also one when Redis does not let itself be asked
 * @throws UnsafeRedisError in production, when there is a danger
 */
export async function checkDurability(
  redis: Redis,
  { production, confirms = false }: DurabilityNeeds,
): Promise<string[]> {
  const durability = await readDurability(redis);
  if (durability === undefined) {
    const wanted = ['appendonly is yes', ...(confirms ? ['appendfsync always'] : [])].join(', ');
    return [
      `This Redis does not show its configuration: make sure that ${wanted} and maxmemory-policy noeviction.`,
    ];
  }
  const dangers = dangersOf(durability);
  if (production && dangers.length > 0) throw new UnsafeRedisError(dangers);
  return confirms ? [...dangers, ...lossesOf(durability)] : dangers;
}

async function readDurability(redis: Redis): Promise<RedisDurability | undefined> {
  const read = async (key: string): Promise<string | undefined> => {
    const [, value] = await redis.config('GET', key);
    return value;
  };
  try {
    return {
      maxmemoryPolicy: await read('maxmemory-policy'),
      appendonly: await read('appendonly'),
      appendfsync: await read('appendfsync'),
      save: await read('save'),
    };
  } catch (error) {
    // Managed services rename or forbid CONFIG; anything else is a real failure.
    if (error instanceof Error && /unknown command|NOPERM/i.test(error.message)) return undefined;
    throw error;
  }
}
