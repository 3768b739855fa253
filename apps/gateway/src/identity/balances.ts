import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Balance } from '@ssb/bus';
import { LOGGER, Metrics, SETTINGS, type Logger } from '@ssb/platform';
import { balanceLevel, type BalanceThresholds } from '../domain/balance.js';
import type { Settings } from '../settings.js';
import { BalanceUnknownError, EvmNode } from './evm-node.js';

interface Known {
  readonly address: string;
  readonly level: Balance;
  /** Milliseconds of a clock that only goes forward. */
  readonly askAgainAt: number;
}

/**
 * The balance that an identity shows (document 002, "Identity"): from an EVM node when one is set, IDENTITY_BALANCE otherwise. A level
 * is remembered for BALANCE_REFRESH_MS, so that the node is asked once in that time, however often and by however many the identity is
 * read. While the node gives none, the last known level of this address stands, and NONE before the first: nothing is known to be there.
 */
@Injectable()
export class Balances implements OnApplicationShutdown {
  private readonly node: EvmNode | undefined;
  private readonly thresholds: BalanceThresholds;
  private readonly asks;
  private known: Known | undefined;
  private asking: { readonly address: string; readonly level: Promise<Balance> } | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    const { BALANCE_RPC_URL: url, BALANCE_NONE_BELOW_WEI: noneBelow, BALANCE_OK_FROM_WEI: okFrom } = settings;
    if (okFrom < noneBelow)
      throw new Error('BALANCE_OK_FROM_WEI must not be less than BALANCE_NONE_BELOW_WEI.');
    this.thresholds = { noneBelow, okFrom };
    this.node = url === undefined ? undefined : new EvmNode(url, settings.BALANCE_TIMEOUT_MS);
    this.asks = metrics.counter({
      name: 'gateway_balance_asks_total',
      help: 'Times the EVM node was asked for the balance, by outcome: known or failed',
      labelNames: ['outcome'],
    });
  }

  /** Never rejects. @param address EIP-55 */
  async of(address: string): Promise<Balance> {
    if (this.node === undefined) return this.settings.IDENTITY_BALANCE;
    const { known } = this;
    if (known?.address === address && performance.now() < known.askAgainAt) return known.level;
    if (this.asking?.address === address) return this.asking.level;
    const asking = { address, level: this.ask(this.node, address) };
    this.asking = asking;
    try {
      return await asking.level;
    } finally {
      if (this.asking === asking) this.asking = undefined;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.node?.close();
  }

  private async ask(node: EvmNode, address: string): Promise<Balance> {
    const level = await this.levelFrom(node, address);
    this.known = { address, level, askAgainAt: performance.now() + this.settings.BALANCE_REFRESH_MS };
    return level;
  }

  private async levelFrom(node: EvmNode, address: string): Promise<Balance> {
    try {
      const level = balanceLevel(await node.balanceOf(address), this.thresholds);
      this.asks.inc({ outcome: 'known' });
      return level;
    } catch (error) {
      if (!(error instanceof BalanceUnknownError)) throw error;
      this.asks.inc({ outcome: 'failed' });
      this.log.warn({ reason: error.message }, 'the EVM node of BALANCE_RPC_URL gave no balance');
      return this.known?.address === address ? this.known.level : 'NONE';
    }
  }
}
