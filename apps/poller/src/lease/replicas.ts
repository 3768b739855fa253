import { createHash } from 'node:crypto';
import type { RedisConnection } from '@ssb/redis-queue';
import { parseDigests, SettingsAgreement, type SettingsDigests } from './settings-agreement.js';

export interface ReplicasOptions {
  readonly redis: RedisConnection;
  readonly key: string;
  /** Hash of the digests of the replicas' settings. */
  readonly settingsKey: string;
  /** Unique name of this replica. */
  readonly holder: string;
  /** How long a replica counts after it has ended without leaving. */
  readonly ttlMs: number;
  readonly intervalMs: number;
  /** Called after each registration. */
  readonly onSuccess: () => void;
  /** Called when Redis does not respond. */
  readonly onError: (error: unknown) => void;
}

/**
 * The running replicas that poll the same participants, as they register themselves in Redis. Replicas with other participants do not count,
 * because they cannot take over every lease.
 */
export class Replicas {
  /** Whether the replicas have the same settings. */
  readonly agreement = new SettingsAgreement();
  private member = '';
  private found = 0;
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly options: ReplicasOptions) {}

  /** Unique name of this replica. */
  get holder(): string {
    return this.options.holder;
  }

  /** Number of replicas with the same participants, this one included; 0 before Redis has responded. */
  get count(): number {
    return this.found;
  }

  /**
   * Registers this replica, and again regularly until `stop`.
   * @param participants their codes; may change
   * @param settings the digests of their settings; may change
   */
  async start(
    participants: () => readonly string[],
    settings: () => SettingsDigests = () => ({}),
  ): Promise<void> {
    this.round = this.runRound(participants, settings);
    await this.round;
  }

  /** Leaves, so that the others take over at once. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.round;
    const { redis, key, settingsKey, holder, onError } = this.options;
    await redis.zrem(key, this.member).catch(onError);
    await redis.hdel(settingsKey, holder).catch(onError);
  }

  private async runRound(
    participants: () => readonly string[],
    settings: () => SettingsDigests,
  ): Promise<void> {
    const { redis, key, ttlMs, intervalMs, onSuccess, onError } = this.options;
    const previous = this.member;
    const served = digest(participants());
    this.member = `${this.options.holder} ${served}`;
    try {
      const members = (await redis.eval(REGISTER, 1, key, this.member, ttlMs, previous)) as string[];
      await this.compareSettings(members, settings());
      this.found = members.filter((member) => member.endsWith(` ${served}`)).length;
      onSuccess();
    } catch (error) {
      onError(error);
    }
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.round = this.runRound(participants, settings);
    }, intervalMs);
  }

  private async compareSettings(members: readonly string[], own: SettingsDigests): Promise<void> {
    const { redis, settingsKey, holder, ttlMs } = this.options;
    const live = new Set(members.map((member) => member.slice(0, member.lastIndexOf(' '))));
    await redis.hset(settingsKey, holder, JSON.stringify(own));
    await redis.pexpire(settingsKey, ttlMs);
    const registered = Object.entries(await redis.hgetall(settingsKey));
    const ended = registered.flatMap(([each]) => (live.has(each) ? [] : [each]));
    if (ended.length > 0) await redis.hdel(settingsKey, ...ended);
    const others = registered.flatMap(([each, text]): [string, SettingsDigests][] => {
      const digests = live.has(each) && each !== holder ? parseDigests(text) : undefined;
      return digests === undefined ? [] : [[each, digests]];
    });
    this.agreement.update(own, new Map(others));
  }
}

function digest(participants: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([...participants].sort()))
    .digest('base64url');
}

/**
 * Registers a replica and removes those whose time has passed. KEYS: sorted set of the replicas by the end of their registration, epoch
 * milliseconds.
 * @param ARGV member, time to live (ms), earlier member of the same replica
 * @returns the members
 */
const REGISTER = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
if ARGV[3] ~= ARGV[1] then redis.call('ZREM', KEYS[1], ARGV[3]) end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZRANGE', KEYS[1], 0, -1)`;
