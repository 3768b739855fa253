import type { Channel } from '../domain/channel.js';
import { DeliveryBook } from '../domain/delivery-window.js';
import { logChannel } from '../ports/log-channel.js';
import type { LogChannel, MessageLog, Position, Reader } from '../ports/message-log.js';

/** One channel within a subscription: how far it was sent, what is unsettled, and the stored position. */
export class ChannelFeed {
  readonly book = new DeliveryBook<Position>();
  /** There may be entries after `cursor`. */
  behind = true;
  private unsaved: Position | undefined;
  private saving: Promise<void> | undefined;

  constructor(
    private channel: Channel,
    private readonly messages: MessageLog,
    private readonly reader: Reader,
    /** Last entry sent; undefined before the first of the log. */
    public cursor: Position | undefined,
  ) {}

  get fqcn(): Channel['fqcn'] {
    return this.channel.fqcn;
  }

  get logChannel(): LogChannel {
    return logChannel(this.channel);
  }

  /** The largest message that may be on it, bytes of payload; unless its limit was lowered since. */
  get largestMessage(): number {
    return this.channel.maxMsgSize;
  }

  /** Takes over changed limits; false when it is another channel of the same name, made anew. */
  refresh(channel: Channel): boolean {
    if (channel.createdDateTime !== this.channel.createdDateTime) return false;
    this.channel = channel;
    return true;
  }

  acknowledge(ids: readonly string[]): void {
    this.unsaved = this.book.acknowledge(ids) ?? this.unsaved;
  }

  /**
   * Stores the position reached; one store at a time, the newest wins.
   * @throws EngineUnavailableError; the position is kept and stored with the next call
   */
  async save(): Promise<void> {
    while (this.saving) await this.saving;
    const position = this.unsaved;
    if (position === undefined) return;
    this.saving = this.messages.movePosition(this.logChannel, this.reader, position).then(() => {
      if (this.unsaved === position) this.unsaved = undefined;
    });
    try {
      await this.saving;
    } finally {
      this.saving = undefined;
    }
  }
}
