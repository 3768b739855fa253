import { MARKET_INTERFACES, type MarketInterface } from '@ssb/events';
import { ContentAuthenticator, type KeySource } from '@ssb/keys';
import { AuthenticatedHash, type RedisConnection } from '@ssb/redis-queue';
import { parseOpenItems, type OpenItem } from '../detection/open-items.js';
import type { PollerKeys } from './poller-keys.js';

/** The field of the open items of an interface, beside the time of its latest success. */
export function openItemsField(name: MarketInterface): string {
  return `open-items:${name}`;
}

/** What is open at one interface. */
export interface InterfaceItems {
  readonly interface: MarketInterface;
  /** When a poll last succeeded, RFC 3339 in UTC. */
  readonly checkedAt?: string;
  /** Undefined while no poll has listed them. */
  readonly items?: readonly OpenItem[];
}

/** No leader has it, so a reading with it never deletes anything. */
const NO_TOKEN = '';

/** Reads the open items that the leader of a participant has saved. It changes nothing, so every replica may read them. */
export class OpenItemsReader {
  constructor(
    private readonly redis: RedisConnection,
    private readonly integrityKeys: KeySource,
  ) {}

  async read({ fence, polls }: Pick<PollerKeys, 'fence' | 'polls'>): Promise<readonly InterfaceItems[]> {
    const hash = new AuthenticatedHash(
      this.redis,
      polls,
      new ContentAuthenticator(this.integrityKeys, 'poller-state'),
    );
    const fields = MARKET_INTERFACES.flatMap((name) => [name, openItemsField(name)]);
    const { values } = await hash.read(fields, { key: fence, token: NO_TOKEN });
    return MARKET_INTERFACES.map((name) => {
      const checkedAt = values.get(name)?.content;
      const text = values.get(openItemsField(name))?.content;
      const items = text === undefined ? undefined : parseOpenItems(text);
      return { interface: name, ...(checkedAt !== undefined && { checkedAt }), ...(items && { items }) };
    });
  }
}
