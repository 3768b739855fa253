import type { Message, MissedMessages } from '@ssb/bus';

/** What a connection delivered, in its order. */
export type Received =
  | { readonly kind: 'message'; readonly message: Message; readonly acknowledge: () => void }
  | { readonly kind: 'gap'; readonly gap: MissedMessages };

/** Waiting messages. It asks its source to pause while there are too many. */
export class MessageQueue {
  private waiting: Received[] = [];
  private isPaused = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly maxWaiting: number,
    private readonly source: { pause(): void; resume(): void },
    /** Once aborted, `next` returns nothing. */
    private readonly stopping: AbortSignal,
  ) {
    stopping.addEventListener('abort', () => this.wake());
  }

  add(items: readonly Received[]): void {
    this.waiting.push(...items);
    this.wake();
    if (this.isPaused || this.waiting.length < this.maxWaiting) return;
    this.isPaused = true;
    this.source.pause();
  }

  clear(): void {
    this.waiting = [];
    this.resume();
  }

  /** The next item, once there is one; undefined after the stop. */
  async next(): Promise<Received | undefined> {
    while (!this.stopping.aborted) {
      const item = this.waiting.shift();
      if (this.waiting.length < this.maxWaiting / 2) this.resume();
      if (item !== undefined) return item;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    return undefined;
  }

  private resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.source.resume();
  }
}
