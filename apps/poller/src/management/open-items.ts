import { Inject, Injectable } from '@nestjs/common';
import { OperatorConfigFile } from '@ssb/config';
import type { MarketInterface } from '@ssb/events';
import type { KeyRingFile } from '@ssb/keys';
import { SETTINGS } from '@ssb/platform';
import type { RedisConnection } from '@ssb/redis-queue';
import type { OpenItem } from '../detection/open-items.js';
import { listPolledCodes } from '../participants/plan-participants.js';
import { INTEGRITY_KEYS, REDIS } from '../redis.js';
import type { Settings } from '../settings.js';
import { OpenItemsReader, type InterfaceItems } from '../state/open-items-reader.js';
import { pollerKeys } from '../state/poller-keys.js';

/** Longer lists may not fit into a response that the archive API reads. */
const MAX_OPEN_ITEMS = 2_000;
/** A list is out of date when no poll has succeeded for so long. */
const MAX_AGE_MS = 3_600_000;

/** An open item of a participant, or that it is unknown what is open. */
export interface ShownItem extends Omit<Partial<OpenItem>, 'kind'> {
  readonly participant: string;
  /** `unknown`: no poll has listed what is open, or none has succeeded since `since`. */
  readonly kind: OpenItem['kind'] | 'unknown';
  /** Of an item `unknown`. */
  readonly interface?: MarketInterface;
  /** When a poll of the interface last succeeded, RFC 3339 in UTC. */
  readonly checkedAt?: string;
}

export interface OpenItemList {
  /** Codes of the participants that the list is about. */
  readonly participants: readonly string[];
  readonly items: readonly ShownItem[];
  /** Items beyond the limit. */
  readonly furtherItems: number;
}

/** What the operator should have published by now, and has not. */
@Injectable()
export class OpenItems {
  private readonly reader: OpenItemsReader;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(REDIS) redis: RedisConnection,
    @Inject(INTEGRITY_KEYS) integrityKeys: KeyRingFile,
    private readonly config: OperatorConfigFile,
  ) {
    this.reader = new OpenItemsReader(redis, integrityKeys);
  }

  /** @param only codes of participants; undefined for all that are polled */
  async list(only: readonly string[] | undefined): Promise<OpenItemList> {
    const codes = listPolledCodes(this.settings, this.config.current());
    const wanted = codes.filter((code) => only === undefined || only.includes(code));
    const items = (await Promise.all(wanted.map((code) => this.listOf(code)))).flat();
    return {
      participants: wanted,
      items: items.slice(0, MAX_OPEN_ITEMS),
      furtherItems: Math.max(0, items.length - MAX_OPEN_ITEMS),
    };
  }

  private async listOf(participant: string): Promise<ShownItem[]> {
    const read = await this.reader.read(pollerKeys(this.settings.QUEUE_PREFIX, participant));
    return read.flatMap((each) => show(participant, each));
  }
}

function show(
  participant: string,
  { interface: name, items, checkedAt }: InterfaceItems,
  now = Date.now(),
): ShownItem[] {
  const common = { participant, ...(checkedAt !== undefined && { checkedAt }) };
  const listed = (items ?? []).map((item) => ({ ...common, ...item }));
  const isKnown = items !== undefined && checkedAt !== undefined && now - Date.parse(checkedAt) <= MAX_AGE_MS;
  if (isKnown) return listed;
  const end = checkedAt === undefined ? 'yet' : 'since then';
  return [
    ...listed,
    {
      ...{ ...common, kind: 'unknown', interface: name },
      ...(checkedAt !== undefined && { since: checkedAt }),
      detail: `no poll of the ${name} interface has succeeded ${end}`,
    },
  ];
}
