import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Balance } from '@ssb/bus';
import {
  addressAuthorization,
  checkServerIdentity,
  BodyTooLargeError,
  readResponse,
  WITHOUT_ENCODING,
} from '@ssb/net';
import { ConfigurationError, LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import { LRUCache } from 'lru-cache';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { parseJson } from '../parse-json.js';
import type { Settings } from '../settings.js';
import { METRICS } from '../metrics.js';

/** Amounts in wei. */
export interface BalanceThresholds {
  /** A smaller balance is NONE. */
  readonly noneBelow: bigint;
  /** This balance and larger ones are OK; between the two it is LOW. */
  readonly okFrom: bigint;
}

/** Document 002, "Identity", names the levels but not their limits. */
export function toBalanceLevel(wei: bigint, { noneBelow, okFrom }: BalanceThresholds): Balance {
  if (wei < noneBelow) return 'NONE';
  return wei < okFrom ? 'LOW' : 'OK';
}

/**
 * The balance of an identity (document 002, "Identity"): from an EVM node, or IDENTITY_BALANCE without one.
 * While the node fails, the last known level of the address applies; without one, NONE.
 */
@Injectable()
export class BalanceService implements OnApplicationShutdown {
  private readonly node: EvmNodeClient | undefined;
  private readonly thresholds: BalanceThresholds;
  private readonly requestCounter;
  private readonly levels: LRUCache<string, Balance>;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    const { BALANCE_RPC_URL: url, BALANCE_NONE_BELOW_WEI: noneBelow, BALANCE_OK_FROM_WEI: okFrom } = settings;
    if (okFrom < noneBelow)
      throw new ConfigurationError('BALANCE_OK_FROM_WEI must not be less than BALANCE_NONE_BELOW_WEI.');
    this.thresholds = { noneBelow, okFrom };
    const node = url === undefined ? undefined : new EvmNodeClient(url, settings.BALANCE_TIMEOUT_MS);
    this.node = node;
    this.levels = new LRUCache<string, Balance>({
      max: 2,
      ttl: settings.BALANCE_REFRESH_MS,
      ignoreFetchAbort: true,
      ...(node && { fetchMethod: (address, last) => this.fetchLevel(node, address, last) }),
    });
    this.requestCounter = metrics.counter(METRICS.balanceRequests);
  }

  /** Never rejects. @param address EIP-55 */
  async getBalance(address: string): Promise<Balance> {
    if (this.node === undefined) return this.settings.IDENTITY_BALANCE;
    return (await this.levels.fetch(address)) ?? 'NONE';
  }

  async onApplicationShutdown(): Promise<void> {
    await this.node?.close();
  }

  private async fetchLevel(node: EvmNodeClient, address: string, last: Balance = 'NONE'): Promise<Balance> {
    try {
      const level = toBalanceLevel(await node.getBalance(address), this.thresholds);
      this.requestCounter.inc({ outcome: 'known' });
      return level;
    } catch (error) {
      if (!(error instanceof BalanceUnknownError)) throw error;
      this.requestCounter.inc({ outcome: 'failed' });
      this.log.warn({ reason: error.message }, 'balance request failed');
      return last;
    }
  }
}

/** The node returned no balance. The message omits the node's address, which may contain an access key. */
class BalanceUnknownError extends Error {
  override readonly name = 'BalanceUnknownError';
}

/** A valid response has about a hundred bytes. */
const MAX_RESPONSE_BYTES = 16_384;
/** The response must carry the same number (JSON-RPC 2.0 §5). */
const ID = 1;

const balanceResponse = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.literal(ID),
  /** A quantity of at most 256 bits. */
  result: z.string().regex(/^0x[0-9a-fA-F]{1,64}$/),
});

/** Requests to one EVM node by JSON-RPC over HTTP: one connection, one timeout, no retries. */
class EvmNodeClient {
  private readonly agent = new Agent({ connections: 1, connect: { checkServerIdentity } });

  constructor(
    private readonly url: string,
    private readonly timeoutMs: number,
  ) {}

  /** `eth_getBalance` at the latest block, in wei. @throws BalanceUnknownError */
  async getBalance(address: string): Promise<bigint> {
    const timeout = AbortSignal.timeout(this.timeoutMs);
    const call = { jsonrpc: '2.0', id: ID, method: 'eth_getBalance', params: [address, 'latest'] };
    try {
      const response = await request(this.url, {
        method: 'POST',
        dispatcher: this.agent,
        signal: timeout,
        headers: {
          ...WITHOUT_ENCODING,
          ...addressAuthorization(new URL(this.url)),
          'content-type': 'application/json',
        },
        body: JSON.stringify(call),
      });
      if (response.statusCode !== 200) {
        await response.body.dump({ limit: MAX_RESPONSE_BYTES });
        throw new BalanceUnknownError(`the node responded with status ${response.statusCode}`);
      }
      const { success, data } = balanceResponse.safeParse(
        parseJson(String(await readResponse(response, MAX_RESPONSE_BYTES))),
      );
      if (!success) throw new BalanceUnknownError('the response is not a balance');
      return BigInt(data.result);
    } catch (error) {
      if (error instanceof BalanceUnknownError) throw error;
      if (error instanceof BodyTooLargeError)
        throw new BalanceUnknownError(`the response is larger than ${error.maxBytes} bytes`);
      if (timeout.aborted) throw new BalanceUnknownError(`no response within ${this.timeoutMs} ms`);
      const code = error instanceof Error && 'code' in error ? error.code : 'no connection';
      throw new BalanceUnknownError(`the node cannot be reached (${String(code)})`);
    }
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }
}
