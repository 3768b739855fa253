import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Balance } from '@ssb/bus';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import { LRUCache } from 'lru-cache';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { parseJson } from '../parse-json.js';
import type { Settings } from '../settings.js';

/** Both in wei. */
export interface BalanceThresholds {
  /** Less than this is NONE: it pays for nothing. */
  readonly noneBelow: bigint;
  /** This and more is OK; what lies between is LOW. */
  readonly okFrom: bigint;
}

/** Document 002, "Identity": the level of an amount in wei. The document names the levels and leaves their bounds open. */
export function balanceLevel(wei: bigint, { noneBelow, okFrom }: BalanceThresholds): Balance {
  if (wei < noneBelow) return 'NONE';
  return wei < okFrom ? 'LOW' : 'OK';
}

/**
 * The balance that an identity shows (document 002, "Identity"): from an EVM node when one is set, IDENTITY_BALANCE otherwise. The node is
 * queried once in BALANCE_REFRESH_MS for an address. While it gives no balance, the last known level of the address stands, and NONE
 * before the first.
 */
@Injectable()
export class Balances implements OnApplicationShutdown {
  private readonly node: EvmNode | undefined;
  private readonly thresholds: BalanceThresholds;
  private readonly asks;
  private readonly levels: LRUCache<string, Balance>;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    const { BALANCE_RPC_URL: url, BALANCE_NONE_BELOW_WEI: noneBelow, BALANCE_OK_FROM_WEI: okFrom } = settings;
    if (okFrom < noneBelow)
      throw new Error('BALANCE_OK_FROM_WEI must not be less than BALANCE_NONE_BELOW_WEI.');
    this.thresholds = { noneBelow, okFrom };
    const node = url === undefined ? undefined : new EvmNode(url, settings.BALANCE_TIMEOUT_MS);
    this.node = node;
    this.levels = new LRUCache<string, Balance>({
      max: 2,
      ttl: settings.BALANCE_REFRESH_MS,
      ignoreFetchAbort: true,
      ...(node && { fetchMethod: (address, last) => this.levelFrom(node, address, last) }),
    });
    this.asks = metrics.counter({
      name: 'gateway_balance_asks_total',
      help: 'Times the EVM node was asked for the balance, by outcome: known or failed',
      labelNames: ['outcome'],
    });
  }

  /** Never rejects. @param address EIP-55 */
  async of(address: string): Promise<Balance> {
    if (this.node === undefined) return this.settings.IDENTITY_BALANCE;
    return (await this.levels.fetch(address)) ?? 'NONE';
  }

  async onApplicationShutdown(): Promise<void> {
    await this.node?.close();
  }

  private async levelFrom(node: EvmNode, address: string, last: Balance = 'NONE'): Promise<Balance> {
    try {
      const level = balanceLevel(await node.balanceOf(address), this.thresholds);
      this.asks.inc({ outcome: 'known' });
      return level;
    } catch (error) {
      if (!(error instanceof BalanceUnknownError)) throw error;
      this.asks.inc({ outcome: 'failed' });
      this.log.warn({ reason: error.message }, 'the EVM node of BALANCE_RPC_URL gave no balance');
      return last;
    }
  }
}

/** The node gave no balance. The reason holds nothing of its address, which may carry a key of the node's operator. */
class BalanceUnknownError extends Error {
  override readonly name = 'BalanceUnknownError';
}

/** A balance takes a hundred bytes. */
const MAX_ANSWER_BYTES = 16_384;
/** The answer must carry the same number (JSON-RPC 2.0 §5). */
const ID = 1;

const answer = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.literal(ID),
  /** A quantity of at most 256 bits. */
  result: z.string().regex(/^0x[0-9a-fA-F]{1,64}$/),
});

/** One EVM node, queried by JSON-RPC over HTTP: one connection, one timeout, nothing retried. */
class EvmNode {
  private readonly agent = new Agent({ connections: 1 });

  constructor(
    private readonly url: string,
    private readonly timeoutMs: number,
  ) {}

  /** `eth_getBalance` at the latest block, in wei. @throws BalanceUnknownError */
  async balanceOf(address: string): Promise<bigint> {
    const limit = AbortSignal.timeout(this.timeoutMs);
    const call = { jsonrpc: '2.0', id: ID, method: 'eth_getBalance', params: [address, 'latest'] };
    try {
      const { statusCode, body } = await request(this.url, {
        method: 'POST',
        dispatcher: this.agent,
        signal: limit,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(call),
      });
      if (statusCode !== 200) {
        await body.dump({ limit: MAX_ANSWER_BYTES });
        throw new BalanceUnknownError(`it answered with status ${statusCode}`);
      }
      const { success, data } = answer.safeParse(parseJson(await textOf(body)));
      if (!success) throw new BalanceUnknownError('its answer is no balance');
      return BigInt(data.result);
    } catch (error) {
      if (error instanceof BalanceUnknownError) throw error;
      if (limit.aborted) throw new BalanceUnknownError(`no answer within ${this.timeoutMs} ms`);
      const code = error instanceof Error && 'code' in error ? error.code : 'no connection';
      throw new BalanceUnknownError(`it cannot be reached (${String(code)})`);
    }
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES)
      throw new BalanceUnknownError(`its answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
